import type { JsonValue, Storage, Where } from "../../contract/index.ts";
import { type Broken, mapValues, withChanges } from "./refusals.test-support.ts";

/** Storages that break a promise about reading, or about what they were given. */
export const brokenReads: readonly Broken<Storage>[] = [
	{
		name: "the order that was asked for is ignored",
		refusedBy: "null sorts first ascending and last descending",
		spoil: (sound) => withChanges(sound, { find: (kind, { orderBy: _, ...query }) => sound.find(kind, query) }),
	},
	{
		name: "only the first of two orders counts",
		refusedBy: "a later order applies to equal values",
		spoil: (sound) =>
			withChanges(sound, { find: (kind, query) => sound.find(kind, { ...query, orderBy: (query.orderBy ?? []).slice(0, 1) }) }),
	},
	{
		name: "a bulky field can be asked for",
		refusedBy: "a bulky field cannot be filtered by",
		spoil: (sound) =>
			withChanges(sound, { count: (kind, { data: _, ...where }: Record<string, unknown>) => sound.count(kind, where as Where<never>) }),
	},
	{
		name: "the end of a large text is missing",
		refusedBy: "large texts are returned completely and in order, page by page, without removed entities",
		spoil: (sound) =>
			withChanges(sound, {
				async find(kind, query) {
					const found = (await sound.find(kind, query)) as { readonly data?: unknown }[];
					return found.map((entity) =>
						typeof entity.data === "string" ? { ...entity, data: entity.data.slice(0, 16_384) } : entity,
					) as never[];
				},
			}),
	},
	{
		name: "only the first of two conditions counts",
		refusedBy: "all conditions must match",
		spoil: (sound) =>
			withChanges(sound, {
				find: (kind, { where = {}, ...query }) => sound.find(kind, { ...query, where: toFirst(where) }),
				count: (kind, where, limit) => sound.count(kind, toFirst(where), limit),
			}),
	},
	{
		name: "the filter is ignored",
		refusedBy: "a value matches equal values, and null matches null",
		spoil: (sound) =>
			withChanges(sound, {
				find: (kind, query) => sound.find(kind, { ...query, where: {} }),
				count: (kind, _, limit) => sound.count(kind, {}, limit),
			}),
	},
	{
		name: "`not` leaves out null, as databases do",
		refusedBy: "not matches all other values, including null",
		spoil: (sound) =>
			withChanges(sound, {
				async find(kind, query) {
					const negated = Object.entries(query.where ?? {}).flatMap(([field, condition]) => (isNot(condition) ? [field] : []));
					const found = await sound.find(kind, query);
					return found.filter((entity) => negated.every((field) => (entity as object as Record<string, unknown>)[field] !== null));
				},
			}),
	},
	{
		name: "a prefix takes % and _ for any characters",
		refusedBy: "prefix treats every character literally",
		spoil: (sound) =>
			withChanges(sound, {
				async find(kind, query) {
					const [entry] = Object.entries(query.where ?? {});
					const prefix = entry === undefined ? undefined : (entry[1] as { prefix?: string } | null)?.prefix;
					if (entry === undefined || prefix === undefined) return sound.find(kind, query);
					const pattern = new RegExp(
						`^${prefix
							.replace(/[*?\\[]/g, "\\$&")
							.replaceAll("%", ".*")
							.replaceAll("_", ".")}`,
						"su",
					);
					const all = await sound.find(kind, { ...query, where: {} });
					return all.filter((entity) => pattern.test(String((entity as object as Record<string, unknown>)[entry[0]])));
				},
			}),
	},
	{
		name: "the limit is ignored",
		refusedBy: "limit and offset return pages without gaps or repetitions, even among equal values",
		spoil: (sound) => withChanges(sound, { find: (kind, { limit: _, ...query }) => sound.find(kind, query) }),
	},
	{
		name: "without a limit the first thousand are all",
		refusedBy: "two thousand entities are inserted at once",
		spoil: (sound) => withChanges(sound, { find: (kind, query) => sound.find(kind, { limit: 1_000, ...query }) }),
	},
	{
		name: "the count is that of a page",
		refusedBy: "count returns the number of matches, regardless of pages",
		spoil: (sound) => withChanges(sound, { count: async (kind, where, limit) => Math.min(1_000, await sound.count(kind, where, limit)) }),
	},
	{
		name: "the limit of a count is ignored",
		refusedBy: "count with a limit stops at the limit",
		spoil: (sound) => withChanges(sound, { count: (kind, where) => sound.count(kind, where) }),
	},
	{
		name: "distinct says values as often as they are there",
		refusedBy: "distinct returns each value once, in ascending order, without null",
		spoil: (sound) =>
			withChanges(sound, {
				async distinct(kind, field, where = {}) {
					const found = await sound.find(kind, { where, orderBy: [[field, "asc"]] });
					return found.flatMap((entity) => entity[field] ?? []) as never;
				},
			}),
	},
	{
		name: "fields that were not asked for come along",
		refusedBy: "fields limits the result to these fields and the id",
		spoil: (sound) => withChanges(sound, { find: (kind, { fields: _, ...query }) => sound.find(kind, query) }),
	},
	{
		name: "numbers are kept in single precision",
		refusedBy: "floating-point numbers are returned exactly",
		spoil: changingValues((value) => (typeof value === "number" ? Math.fround(value) : value)),
	},
	{
		name: "big whole numbers are cut to 32 bits",
		refusedBy: "every field type is returned unchanged",
		spoil: changingValues((value) => (Number.isInteger(value) ? Number(value) | 0 : value)),
	},
	{
		name: "times are cut to milliseconds",
		refusedBy: "inserted entities exist when the promise resolves",
		spoil: changingValues((value) => (typeof value === "string" ? value.replace(/(\.\d{3})\d{3}Z$/, "$1Z") : value)),
	},
	{
		name: "a null within JSON goes missing",
		refusedBy: "null and a JSON null inside a field are distinct from empty values",
		spoil: changingValues((value, key) => (value === null && key === "value" ? undefined : value)),
	},
	{
		name: "an empty list comes back as null",
		refusedBy: "null and a JSON null inside a field are distinct from empty values",
		spoil: changingValues((value) => (Array.isArray(value) && value.length === 0 ? null : value)),
	},
	{
		name: "text ends at a NUL",
		refusedBy: "unusual text in a text field is returned unchanged",
		spoil: changingValues((value) => (typeof value === "string" ? value.replace(/\0.*$/su, "") : value)),
	},
	{
		name: "text is cut at 64 KiB",
		refusedBy: "a text of 1 MiB is returned unchanged, as text and inside JSON",
		spoil: changingValues((value) => (typeof value === "string" ? value.slice(0, 16_384) : value)),
	},
	{
		name: "who changes what was returned changes what is stored",
		refusedBy: "changes to a returned entity do not affect the storage or other callers",
		spoil(sound) {
			const known = new Map<string, unknown>();
			return withChanges(sound, {
				async get(kind, id) {
					if (!known.has(id)) known.set(id, await sound.get(kind, id));
					return known.get(id) as never;
				},
			});
		},
	},
	{
		name: "who changes what was given changes what is stored",
		refusedBy: "later changes to an inserted entity do not affect the storage",
		spoil(sound) {
			const given = new Map<string, unknown>();
			return withChanges(sound, {
				async insert(kind, entities) {
					for (const entity of entities) given.set(entity.id, entity);
					await sound.insert(kind, entities);
				},
				get: async (_, id) => given.get(id) as never,
			});
		},
	},
];

/** A storage that changes values on their way in. */
function changingValues(change: (value: JsonValue, key: string) => JsonValue | undefined): (sound: Storage) => Storage {
	return (sound) =>
		withChanges(sound, {
			insert: (kind, entities) =>
				sound.insert(
					kind,
					entities.map((entity) => mapValues(entity as unknown as JsonValue, change) as unknown as typeof entity),
				),
		});
}

function toFirst<W extends object>(where: W): W {
	return Object.fromEntries(Object.entries(where).slice(0, 1)) as W;
}

function isNot(condition: unknown): boolean {
	return typeof condition === "object" && condition !== null && "not" in condition && condition.not !== null;
}
