# irrun on Alpine, where models run on NumPy: docker build -f tools/containers/alpine.Dockerfile -t irrun .
FROM python:3.13-alpine AS build
COPY . /source
RUN python -m venv /opt/irrun && /opt/irrun/bin/pip install --no-cache-dir --compile "/source[text]"

FROM python:3.13-alpine
RUN apk add --no-cache libstdc++
COPY --from=build /opt/irrun /opt/irrun
ENTRYPOINT ["/opt/irrun/bin/irrun"]
