from bert_attention.errors import InputError as InputError
from bert_attention.explorer.show import show as show
from bert_attention.interface.figures import draw as draw
from bert_attention.interface.model import AttentionModel as AttentionModel
from bert_attention.interface.model import TextAttention as TextAttention
from bert_attention.interface.study import Study as Study
from bert_attention.statistics.jackknife import interval as interval
from bert_attention.tables import read_table as read_table

__version__: str
