// Templates of docker's engine: progress of pulls, pushes and builds.

import { dictionary } from '../../core/collections/dictionary.js';

/** By repository and file. */
export const DOCKER: Readonly<Record<string, readonly string[]>> = dictionary({
  'moby/distribution/pull_v2.go': [
    'Pulling from {image}',
    'Pulling fs layer',
    'Downloading',
    'Verifying Checksum',
    'Download complete',
    'Already exists',
    'Waiting',
    'Extracting',
    'Pull complete',
    'Digest: {id}',
    'Retrying in {count} seconds',
  ],
  'moby/distribution/pull.go': [
    'Status: Downloaded newer image for {image}',
    'Status: Image is up to date for {image}',
    'Trying to pull {image} from {url}',
  ],
  'moby/distribution/push_v2.go': [
    'The push refers to repository [{image}]',
    'Preparing',
    'Layer already exists',
    'Mounted from {image}',
    'Pushing',
    'Pushed',
    '{name}: digest: {id} size: {count}',
  ],
  'docker/cli/cli/command/image/pull.go': ['Using default tag: {name}'],
});
