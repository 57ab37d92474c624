import { type EntityKind, type EntityMap, entityKinds, type Storage } from "../../../contract/index.ts";
import { DryRunStorage } from "../../../kernel/dry-run-storage.ts";

/** Kinds whose records come and go with packs. */
export const ownKinds = ["pack", "action", "trigger_type", "sensor", "rule", "action_alias", "policy"] as const;

/** Kinds that may be changed besides: rules share their triggers. */
export const draftedKinds = [...ownKinds, "trigger"] as const;

export type DraftedKind = Extract<(typeof draftedKinds)[number], EntityKind>;

/** What is stored, as far as the registration of some packs asks for it and may change it. */
export class PackDraft {
	/** Where they are registered. */
	readonly storage = new DryRunStorage();
	readonly #before = new Map<EntityKind, ReadonlyMap<string, object>>();

	/** @param packs refs of those that may be changed */
	static async of(storage: Storage, packs: readonly string[]): Promise<PackDraft> {
		const draft = new PackDraft();
		const own = { pack: { in: packs } };
		await draft.#take("pack", await storage.find("pack", { where: { ref: { in: packs } } }));
		for (const kind of ["action", "sensor", "rule", "action_alias"] as const) {
			if (isKept(kind)) await draft.#take(kind, await storage.find(kind, { where: own as object }));
		}
		// What rules, policies and triggers of these packs may refer to, and collide with.
		for (const kind of ["runner_type", "trigger_type", "trigger", "policy"] as const) await draft.#take(kind, await storage.find(kind, {}));
		await draft.#take("rule", await readOtherRules(storage, packs));
		return draft;
	}

	/** As it was stored. */
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

/** Whether this version of the service keeps such records. */
export function isKept(kind: string): kind is EntityKind {
	return kind in entityKinds;
}

/** Of other packs it counts only which triggers they need. */
async function readOtherRules(storage: Storage, packs: readonly string[]): Promise<EntityMap["rule"][]> {
	const rules = await storage.find("rule", { fields: ["ref", "pack", "trigger"] });
	return rules.filter(({ pack }) => !packs.includes(pack));
}
