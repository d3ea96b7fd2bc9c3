# The project with all that it needs, for jobs of a cluster and for machines without a suitable Python: docs/clusters.md.
# PyTorch comes for NVIDIA's GPUs, several gigabytes; --build-arg PIP_EXTRA_INDEX_URL=... names an index that has it for CPUs.

FROM debian:12.12-slim AS base
# Debian keeps no older versions, which could be pinned.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/*

FROM base AS packages
ARG PIP_EXTRA_INDEX_URL
# Debian keeps no older versions, which could be pinned.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/venv
WORKDIR /build
# The packages alone: an edit of the project installs nothing again.
COPY pyproject.toml README.md LICENSE envs/constraints.txt ./
RUN mkdir workflow \
    && /opt/venv/bin/pip install --no-cache-dir --constraint constraints.txt '.[cluster]' \
    && /opt/venv/bin/pip uninstall --yes bert-attention

FROM base
COPY --from=packages /opt/venv /opt/venv
COPY . /project
# Whoever runs it, --user included, has a home in which Snakemake and Matplotlib can write. Caches are elsewhere, for
# Apptainer and read-only containers have another home, or none.
RUN useradd --uid 1000 replicator \
    && install --directory --mode=1777 /home/replicator /work
ENV HOME=/home/replicator \
    USER=replicator \
    XDG_CACHE_HOME=/tmp/cache \
    MPLCONFIGDIR=/tmp/cache/matplotlib \
    PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/project/workflow \
    PYTHONDONTWRITEBYTECODE=1
USER 1000
WORKDIR /work
ENTRYPOINT ["snakemake", "--snakefile", "/project/Snakefile"]
CMD ["--cores", "all"]
