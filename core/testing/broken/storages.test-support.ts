import { setImmediate as nextTurn } from "node:timers/promises";
import { appendedValueOf, isSvcError, type JsonValue, type Storage, SvcError, type Where } from "../../contract/index.ts";
import { type Broken, withChanges } from "./refusals.test-support.ts";
import { brokenReads } from "./storage-reads.test-support.ts";

/** Storages that break a promise about writing. */
const brokenWrites: readonly Broken<Storage>[] = [
	{
		name: "a compare-and-set ignores `expected`",
		refusedBy: "update of an entity that is not as expected returns undefined and changes nothing",
		spoil: (sound) => withChanges(sound, { update: (kind, id, patch) => sound.update(kind, id, patch) }),
	},
	{
		name: "a compare-and-set looks first and writes later",
		refusedBy: "of 20 parallel updates with the same expectation exactly one wins",
		spoil: (sound) =>
			withChanges(sound, {
				async update(kind, id, patch, expected) {
					if ((await sound.count(kind, { ...expected, id } as Where<never>)) === 0) return undefined;
					await nextTurn();
					return sound.update(kind, id, patch);
				},
			}),
	},
	{
		name: "of two appends at a time one is lost",
		refusedBy: "parallel appends are all kept",
		spoil: (sound) =>
			withChanges(sound, {
				async update(kind, id, patch, expected) {
					const before = await sound.get(kind, id);
					await nextTurn();
					const lists = before as unknown as Record<string, readonly JsonValue[]>;
					const values = Object.entries(patch).map(([field, value]) => {
						const appended = appendedValueOf(value);
						return [field, appended === undefined ? value : [...(lists?.[field] ?? []), appended]];
					});
					return sound.update(kind, id, Object.fromEntries(values), expected);
				},
			}),
	},
	{
		name: "an update answers with the entity of before",
		refusedBy: "update changes only the patched fields and returns the updated entity",
		spoil: (sound) =>
			withChanges(sound, {
				async update(kind, id, patch, expected) {
					const before = await sound.get(kind, id);
					return (await sound.update(kind, id, patch, expected)) && before;
				},
			}),
	},
	{
		name: "a claim is given twice",
		refusedBy: "parallel claimers never get the same entity and together get all",
		spoil: (sound) =>
			withChanges(sound, {
				async claim(kind, query, patch) {
					const found = await sound.find(kind, query);
					await nextTurn();
					const claimed = await Promise.all(found.map(({ id }) => sound.update(kind, id, patch)));
					return claimed.filter((entity) => entity !== undefined);
				},
			}),
	},
	{
		name: "a claim takes any, not the first",
		refusedBy: "claim patches the first by the given order and returns them in it",
		spoil: (sound) => withChanges(sound, { claim: (kind, { where, limit }, patch) => sound.claim(kind, { where, limit }, patch) }),
	},
	{
		name: "a claim takes more than its limit",
		refusedBy: "claim without an order takes the smallest ids",
		spoil: (sound) => withChanges(sound, { claim: (kind, query, patch) => sound.claim(kind, { ...query, limit: query.limit + 1 }, patch) }),
	},
	{
		name: "an insert that fails keeps its first part",
		refusedBy: "an insert with one conflict inserts nothing",
		spoil: (sound) =>
			withChanges(sound, {
				async insert(kind, entities) {
					for (const entity of entities) await sound.insert(kind, [entity]);
				},
			}),
	},
	{
		name: "one entity in a hundred is forgotten",
		refusedBy: "two thousand entities are inserted at once",
		spoil: (sound) =>
			withChanges(sound, {
				insert: (kind, entities) =>
					sound.insert(
						kind,
						entities.filter((_, index) => index % 100 !== 99),
					),
			}),
	},
	{
		name: "a taken key is passed over in silence",
		refusedBy: "a taken unique key is a conflict that names its owner",
		spoil: (sound) =>
			withChanges(sound, {
				insert: (kind, entities) =>
					sound.insert(kind, entities).catch((error: unknown) => {
						if (!isSvcError(error, "SVC_CONFLICT")) throw error;
					}),
			}),
	},
	{
		name: "a taken id is written over",
		refusedBy: "a taken id is a conflict that names it",
		spoil: (sound) =>
			withChanges(sound, {
				async insert(kind, entities) {
					await sound.remove(kind, { where: { id: { in: entities.map(({ id }) => id) } } as Where<never> });
					await sound.insert(kind, entities);
				},
			}),
	},
	{
		name: "an insert answers before it has happened",
		refusedBy: "inserted entities exist when the promise resolves",
		spoil: (sound) => withChanges(sound, { insert: async (...insert) => void nextTurn().then(() => sound.insert(...insert)) }),
	},
	{
		name: "a remove takes away everything of its kind",
		refusedBy: "remove deletes the matching entities and returns their number",
		spoil: (sound) => withChanges(sound, { remove: (kind) => sound.remove(kind, { where: {} }) }),
	},
	{
		name: "a remove knows no limit",
		refusedBy: "remove with a limit deletes at most that many",
		spoil: (sound) => withChanges(sound, { remove: (kind, { where }) => sound.remove(kind, { where }) }),
	},
	{
		name: "of several writes that belong together some happen",
		refusedBy: "a write with a taken key changes nothing",
		spoil: (sound) =>
			withChanges(sound, {
				async write(operations) {
					for (const operation of operations) await sound.write([operation]);
				},
			}),
	},
	{
		name: "a stale update within a write is passed over",
		refusedBy: "a write whose update no longer matches, or has no entity, changes nothing",
		spoil: (sound) =>
			withChanges(sound, {
				write: (operations) =>
					sound.write(operations).catch((error: unknown) => {
						if (!isSvcError(error, "SVC_CONFLICT")) throw error;
						return sound.write(operations.filter((operation) => !("update" in operation)));
					}),
			}),
	},
	{
		name: "an update without a patch is left out of a write",
		refusedBy: "an update with an empty patch within a write checks the expectation and changes nothing",
		spoil: (sound) =>
			withChanges(sound, {
				write: (operations) =>
					sound.write(operations.filter((operation) => !("update" in operation) || Object.keys(operation.patch).length > 0)),
			}),
	},
	{
		name: "what is expected is looked at first, and written later",
		refusedBy: "expectations of a write hold until the write is done",
		spoil: (sound) =>
			withChanges(sound, {
				async write(operations) {
					for (const operation of operations) {
						if (!("update" in operation)) continue;
						const where = { ...operation.expected, id: operation.id } as Where<never>;
						if ((await sound.count(operation.update, where)) === 0) throw new SvcError("SVC_CONFLICT", "no longer as expected");
					}
					await nextTurn();
					await sound.write(operations.filter((operation) => !("update" in operation) || Object.keys(operation.patch).length > 0));
				},
			}),
	},
	{
		name: "a storage that several use has no time",
		refusedBy: "a shared storage returns the time, which advances and is the same for all nodes",
		spoil: (sound) => withChanges(sound, { capabilities: { shared: true } }),
	},
	{
		name: "the time of a storage stands still",
		refusedBy: "a shared storage returns the time, which advances and is the same for all nodes",
		spoil: (sound) => {
			const time = Date.now() * 1_000;
			return withChanges(sound, { capabilities: { shared: true }, now: async () => time });
		},
	},
	{
		name: "a conflict is an error of no kind",
		refusedBy: "update to a taken key is a conflict that names its owner and changes nothing",
		spoil: (sound) =>
			withChanges(sound, {
				update: (...update) =>
					sound.update(...update).catch((error: unknown) => {
						throw error instanceof SvcError ? new Error("duplicate key value violates unique constraint") : error;
					}),
			}),
	},
	{
		name: "the storage says that it is durable and cannot be opened again",
		refusedBy: "a durable storage contains everything after it is reopened",
		spoil: (sound) => withChanges(sound, { capabilities: { durable: true } }),
	},
];

export const brokenStorages: readonly Broken<Storage>[] = [...brokenWrites, ...brokenReads];
