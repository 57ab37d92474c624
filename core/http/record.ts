/** A record as it travels: members in the order of the reference. */
export type WireRecord = Readonly<Record<string, unknown>>;
