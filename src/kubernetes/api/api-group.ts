// Whose an API group is. Knows how Kubernetes' own are called, and no messages.

/** A group of somebody's own: its kinds are in no table. */
export function isCustomGroup(apiGroup: string): boolean {
  return apiGroup.includes('.') && !/(?:^|\.)k8s\.io$/.test(apiGroup);
}
