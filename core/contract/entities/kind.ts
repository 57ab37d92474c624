/** How a field is stored: `json` fields cannot be asked for or sorted by. */
export type FieldType = "text" | "integer" | "real" | "boolean" | "json";

/** Fields, unique keys and indexes of a kind of entities. */
export interface EntityKindDefinition<E> {
	/**
	 * Every field in column order; large ones last, so that reading the others stays cheap. One that a later version adds goes behind all
	 * that are there, and is null in what is stored already: storages find out by themselves, nobody writes a migration.
	 */
	readonly fields: { readonly [F in keyof E]-?: FieldType };
	/**
	 * A text field with a large part of all that is kept, which cannot be asked for or sorted by; those with the same value in the field `by`
	 * are written and read together, in order. A storage may keep its large values elsewhere than the others. Default: none.
	 */
	readonly bulky?: { readonly field: keyof E & string; readonly by: keyof E & string };
	/** Combinations that no two entities may share, besides `id`. */
	readonly unique?: readonly (readonly (keyof E & string)[])[];
	/** Combinations that lists filter and sort by. */
	readonly indexes?: readonly (readonly (keyof E & string)[])[];
	/**
	 * More of them, by a field that is null in most entities: those in which it is null need no place in the index, which keeps
	 * writes cheap. Conditions that ask for null there must be served by other combinations.
	 */
	readonly sparseIndexes?: { readonly [F in keyof E & string]?: readonly (readonly (keyof E & string)[])[] };
	/**
	 * Fields that lead one of `indexes` and are null in many entities, which lists ask for: in the order of such a field all of those are
	 * equals, which a storage need not sort to find the first.
	 */
	readonly oftenNull?: readonly (keyof E & string)[];
	/**
	 * The field by which long lists are sorted. It is never null, so that a storage may find the place of a late page by an index that ends in
	 * it, instead of going over all entities before that.
	 */
	readonly timeline?: keyof E & string;
	/** Writes need not be durable by themselves (see `Storage`). Default false. */
	readonly relaxed?: boolean;
	/**
	 * There are many, and each is worked on by one node: a storage may put small writes of several callers into one transaction, as none
	 * waits long for another. Where several nodes change the same few entities, one that is held up would hold up all that share its
	 * transaction. Default false.
	 */
	readonly shareable?: boolean;
	/**
	 * Of a feature that a configuration may leave out: a database that keeps such entities serves a service without the feature, too. Set by
	 * `defineKind` (`svc-automation/feature`). Default false.
	 */
	readonly optional?: boolean;
}
