// What requests do. Knows verbs, as the audit log words them.

export const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'apply',
]);
