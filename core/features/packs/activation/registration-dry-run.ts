import type { EntityKind, EntityMap, Storage } from "../../../contract/index.ts";
import { DryRunStorage } from "../../../kernel/dry-run-storage.ts";
import { isDefinedKind } from "../named-actions-exports.ts";

/** Kinds whose records are created and removed with packs. */
export const ownKinds = ["pack", "action", "trigger_type", "sensor", "rule", "action_alias", "policy"] as const;

/** Kinds that a draft may change. They include triggers, which rules share. */
export const draftedKinds = [...ownKinds, "trigger"] as const;

/** Copy of the stored records that a registration of some packs reads and may change. */
export class PackDraft {
	/** Storage in which the packs are registered. */
	readonly storage = new DryRunStorage();
	readonly #before = new Map<EntityKind, ReadonlyMap<string, object>>();

	/** @param packs refs of the packs that may change */
	static async of(storage: Storage, packs: readonly string[]): Promise<PackDraft> {
		const draft = new PackDraft();
		const own = { pack: { in: packs } };
		await draft.#take("pack", await storage.find("pack", { where: { ref: { in: packs } } }));
		for (const kind of ["action", "sensor", "rule", "action_alias"] as const) {
			if (isDefinedKind(kind)) await draft.#take(kind, await storage.find(kind, { where: own as object }));
		}
		// Rules, policies and triggers of these packs may refer to these records, or conflict with them.
		for (const kind of ["runner_type", "trigger_type", "trigger", "policy"] as const) await draft.#take(kind, await storage.find(kind, {}));
		await draft.#take("rule", await readOtherRules(storage, packs));
		return draft;
	}

	/** Returns the record before the registration. */
	before<K extends EntityKind>(kind: K, id: string): EntityMap[K] | undefined {
		return this.#before.get(kind)?.get(id) as EntityMap[K] | undefined;
	}

	allBefore<K extends EntityKind>(kind: K): readonly EntityMap[K][] {
		return [...(this.#before.get(kind)?.values() ?? [])] as unknown as EntityMap[K][];
	}

	async #take<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		this.#before.set(kind, new Map([...(this.#before.get(kind) ?? []), ...entities.map((entity) => [entity.id, entity] as const)]));
		await this.storage.insert(kind, entities);
	}
}

/** Reads rules of other packs, with only the fields that show which triggers they need. */
async function readOtherRules(storage: Storage, packs: readonly string[]): Promise<EntityMap["rule"][]> {
	const rules = await storage.find("rule", { fields: ["ref", "pack", "trigger"] });
	return rules.filter(({ pack }) => !packs.includes(pack));
}
