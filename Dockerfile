# The single executable and tcpdump, for `deploy/` and `kubectl debug` (docs/install.md). Built and tried by .github/workflows/ci.yml.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
ARG TARGETARCH
RUN npm run build \
    && npm run executable -- --arch "$TARGETARCH" --into /out \
    && mv "/out/kubeseq-linux-$TARGETARCH" /out/kubeseq \
    && node scripts/licenses.js /out/licenses

# As root, for probes and captures on a node: docker build --target root (docs/recipes/kubectl-debug.md).
FROM debian:bookworm-slim AS root
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libstdc++6 tcpdump \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/licenses/ /usr/share/doc/kubeseq/
COPY --from=build /out/kubeseq /usr/local/bin/kubeseq
ENTRYPOINT ["kubeseq"]

FROM root
USER 65532:65532
