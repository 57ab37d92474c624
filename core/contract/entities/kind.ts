/** Storage type of a field. Queries can neither filter nor sort by a `json` field. */
export type FieldType = "text" | "integer" | "real" | "boolean" | "json";

/** Fields, unique keys and indexes of a kind of entities. */
export interface EntityKindDefinition<E> {
	/**
	 * Every field in column order. Large fields are last, so that reading the others remains cheap.
	 *
	 * A field that a later version adds is last and is null in existing records. Storages detect it; no migration is written by hand.
	 */
	readonly fields: { readonly [F in keyof E]-?: FieldType };
	/**
	 * A string field that contains most of the stored data. Queries can neither filter nor sort by it. Default: none.
	 *
	 * Entities with equal values in the field `by` are written and read together, in order. A storage may keep large values separately.
	 */
	readonly bulky?: { readonly field: keyof E & string; readonly by: keyof E & string };
	/** Combinations of fields that are unique, in addition to `id`. */
	readonly unique?: readonly (readonly (keyof E & string)[])[];
	/** Combinations of fields by which lists filter and sort. */
	readonly indexes?: readonly (readonly (keyof E & string)[])[];
	/**
	 * Additional indexes by a field that is null in most entities.
	 *
	 * Entities in which the field is null need not be in the index, which keeps writes cheap. Queries for null must use other indexes.
	 */
	readonly sparseIndexes?: { readonly [F in keyof E & string]?: readonly (readonly (keyof E & string)[])[] };
	/**
	 * Fields that are null in many entities, by which lists sort, and with which one of `indexes` begins.
	 *
	 * Entities in which the field is null are all equal in its order, so a storage need not sort them to find the first ones.
	 */
	readonly oftenNull?: readonly (keyof E & string)[];
	/**
	 * The field by which long lists are sorted. It is never null.
	 *
	 * A storage can find a page with a large offset through an index that ends in this field, instead of reading all previous entities.
	 */
	readonly timeline?: keyof E & string;
	/** True if a write need not be durable when its promise resolves; see `Storage`. Default false. */
	readonly relaxed?: boolean;
	/**
	 * True if there are many entities and a single node works on each of them. Default false.
	 *
	 * A storage may then put small writes of several callers into one transaction, because none of them waits long for another. If
	 * several nodes changed a few entities, one blocked write would block all others in its transaction.
	 */
	readonly shareable?: boolean;
	/**
	 * True if the kind belongs to a feature that a configuration may omit. Default false; the service
	 * sets it for the `kinds` of features.
	 *
	 * A database that contains such entities also works for a service without the feature.
	 */
	readonly optional?: boolean;
}
