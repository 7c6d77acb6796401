# kubeseq and tcpdump, for `deploy/` and `kubectl debug`. Built and tested by the repository's own workflow.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

# As root, for probes and captures on a node: docker build --target root (docs/recipes/kubectl-debug.md).
FROM node:24-bookworm-slim AS root
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tcpdump \
    && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules/npm /usr/local/bin/npm /usr/local/bin/npx
COPY --from=build /src/package.json /src/LICENSE /src/NOTICE /opt/kubeseq/
COPY --from=build /src/bin /opt/kubeseq/bin
COPY --from=build /src/dist /opt/kubeseq/dist
COPY --from=build /src/node_modules /opt/kubeseq/node_modules
RUN ln -s /opt/kubeseq/bin/kubeseq.js /usr/local/bin/kubeseq
ENTRYPOINT ["kubeseq"]

FROM root
USER 65532:65532
