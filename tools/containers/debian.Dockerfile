# irrun on Debian: docker build -f tools/containers/debian.Dockerfile -t irrun .
FROM python:3.13-slim AS build
COPY . /source
RUN python -m venv /opt/irrun && /opt/irrun/bin/pip install --no-cache-dir --compile "/source[text]" /source/kernels

FROM python:3.13-slim
COPY --from=build /opt/irrun /opt/irrun
ENTRYPOINT ["/opt/irrun/bin/irrun"]
