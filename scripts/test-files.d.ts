export const NEED_PACKAGES: readonly string[];
export const HAS_PACKAGES: boolean;
export const SELECTIONS: Readonly<Record<string, readonly string[]>>;
