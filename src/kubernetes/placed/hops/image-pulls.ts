// Relates a runtime's requests to a registry to the pull they belong to: CRI's PullImage, or docker's images/create. Image references
// are those of github.com/distribution/reference.

import { QueryParameters } from '../../api/request-target.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import type { Participant } from '../../messages/message.js';
import { REPOSITORY } from '../../observed/http-messages.js';
import { proven } from '../../participants/participant-record.js';
import type { ParticipantRegistry } from '../identity/participant-registry.js';
import type { ServedRequests } from './served-requests.js';

export class ImagePulls {
  readonly #participants: ParticipantRegistry;
  readonly #served: ServedRequests;

  constructor(participants: ParticipantRegistry, served: ServedRequests) {
    this.#participants = participants;
    this.#served = served;
  }

  /** A request to a runtime to pull an image; the pull lasts until its exchange ends. */
  observePull(context: ExchangeContext, message: Draft, image: string | undefined): void {
    if (image === undefined || image === '') return;
    this.#served.add(context, message, [PULL], repositoryOf(image));
  }

  /** A request to a registry or to docker. @param target as on the wire; undefined: not known. */
  observeRequest(context: ExchangeContext, message: Draft, target: string | undefined): void {
    if (target === undefined) return;
    const { protocol } = context.role;
    if (protocol === 'registry') this.#observeRegistryRequest(context, message, target);
    else if (protocol === 'docker') this.#observeDockerRequest(context, message, target);
  }

  /** The same of docker's engine API. */
  #observeDockerRequest(context: ExchangeContext, message: Draft, target: string): void {
    const query = target.indexOf('?');
    if (query < 0 || !DOCKER_PULL.test(target.slice(0, query))) return;
    this.observePull(context, message, new QueryParameters(target.slice(query + 1)).get('fromImage'));
  }

  /** A request to a registry: it gets the pull as its cause, and the pull's object. */
  #observeRegistryRequest(request: ExchangeContext, message: Draft, target: string): void {
    const { client } = request;
    const repository = REPOSITORY.exec(target)?.[1];
    const found = this.#served
      .all(PULL)
      .filter(
        ({ context, detail }) => isSame(context.server, client) && (repository === undefined || detail === repository),
      );
    // Several Pods of one node can have the same image: the runtime pulls it for each.
    const causes = new Set(found.map((pull) => pull.message.name));
    if (found.length === 0 || causes.size > 1) return;
    const { context, message: pull } = found[found.length - 1];
    const { seq, resource, namespace, name, apiGroup } = pull;
    request.cause = { seq, how: 'pull', certain: false };
    // A runtime serves its socket on loopback, or behind a relay: its pulls show its address.
    if (found.length === 1 && client.name !== context.server.name && repository !== undefined)
      this.#participants.merge(
        client,
        context.server,
        proven(`requests ${repository} of a registry, which it was requested to pull`, null),
      );
    if (resource === undefined) return;
    message.apiGroup = apiGroup;
    message.resource = resource;
    message.namespace = namespace;
    message.name = name;
  }
}

/** A runtime serves its socket on one address and sends from another: the component has to match, and the node where both are known. */
function isSame(server: Participant, client: Participant): boolean {
  return server.component === client.component && (server.name === client.name || [server, client].some(isUnplaced));
}

function isUnplaced({ name }: Participant): boolean {
  return !name.includes('(');
}

/** `nginx:latest` is `library/nginx`, `registry.example:5000/a/b@sha256:…` is `a/b`. */
function repositoryOf(image: string): string {
  const plain = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  const slash = plain.indexOf('/');
  const first = slash < 0 ? '' : plain.slice(0, slash);
  const isDomain = first.includes('.') || first.includes(':') || first === 'localhost';
  const path = isDomain ? plain.slice(slash + 1) : plain;
  const isHub = !isDomain || first === 'docker.io';
  return isHub && !path.includes('/') ? `library/${path}` : path;
}

const PULL = 'pull';
const DOCKER_PULL = /^\/(?:v1\.\d+\/)?images\/create$/;
