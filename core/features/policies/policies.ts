import { isSvcError, type PolicyEntity, SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { assertNotSystemPack } from "../../kernel/basics/names.ts";
import { type Page, type Paging, readPage, toInCondition } from "../../kernel/basics/pagination.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { Policies, PolicyFilter, PolicyInput } from "./policies-exports.ts";
import { type PolicyFields, toPolicyFields } from "./policy-fields.ts";

export interface PoliciesDependencies extends Uses<"storage" | "clock">, Pick<Kernel, "changes"> {
	/** Puts policies in force on this node after they have been stored. */
	readonly obey: () => Promise<void>;
}

/**
 * Maximum number of attempts to change a policy. An attempt fails if a node starts an execution under the policy at the same time, because
 * that changes the policy's `turn`.
 */
const attempts = 100;

/** Policies in the storage. */
export class StoredPolicies implements Policies {
	readonly #parts: PoliciesDependencies;

	constructor(parts: PoliciesDependencies) {
		this.#parts = parts;
	}

	async list(filter: PolicyFilter, paging: Paging): Promise<Page<PolicyEntity>> {
		const orderBy = [
			["pack", "asc"],
			["name", "asc"],
		] as const;
		return readPage(this.#parts.storage, "policy", { where: toWhere(filter), orderBy, ...paging });
	}

	async get(refOrId: string): Promise<PolicyEntity> {
		const { storage } = this.#parts;
		const [byRef] = await storage.find("policy", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("policy", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `policy "${refOrId}" cannot be found`);
		return found;
	}

	async create(input: PolicyInput): Promise<PolicyEntity> {
		const { storage, clock } = this.#parts;
		assertNotSystemPack(input.pack);
		const policy = { id: createId(clock), turn: 0, ...toPolicyFields(input) };
		try {
			await storage.insert("policy", [policy]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) await this.#assertFree(policy, policy.id, error);
			throw error;
		}
		await this.#tell();
		return policy;
	}

	async update(refOrId: string, input: PolicyInput): Promise<PolicyEntity> {
		assertNotSystemPack(input.pack);
		return this.#change(refOrId, toPolicyFields(input));
	}

	switch(refOrId: string, enabled: boolean): Promise<PolicyEntity> {
		return this.#change(refOrId, { enabled });
	}

	async remove(refOrId: string): Promise<void> {
		const { id, pack } = await this.get(refOrId);
		assertNotSystemPack(pack);
		await this.#parts.storage.remove("policy", { where: { id } });
		await this.#tell();
	}

	async #change(refOrId: string, fields: Partial<PolicyFields>): Promise<PolicyEntity> {
		for (let attempt = 1; ; attempt += 1) {
			const old = await this.get(refOrId);
			assertNotSystemPack(old.pack);
			// Increment the turn: a node that has counted with the old parameters then fails to start executions and counts again.
			const patch = { ...fields, turn: old.turn + 1 };
			try {
				await this.#parts.storage.write([{ update: "policy", id: old.id, patch, expected: { turn: old.turn } }]);
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				await this.#assertFree({ ...old, ...fields }, old.id, error);
				if (attempt === attempts) throw error;
				continue;
			}
			await this.#tell();
			return { ...old, ...patch };
		}
	}

	/** Throws `SVC_CONFLICT` if another policy has the same ref, or the same action and type. */
	async #assertFree({ ref, resource_ref, policy_type }: PolicyFields, id: string, cause: unknown): Promise<void> {
		const { storage } = this.#parts;
		const others = { id: { not: id } };
		const [named] = await storage.find("policy", { where: { ref, ...others }, limit: 1 });
		const [alike] = await storage.find("policy", { where: { resource_ref, policy_type, ...others }, limit: 1 });
		const other = named ?? alike;
		if (other === undefined) return;
		const problem =
			named === undefined ? `action "${resource_ref}" already has the ${policy_type} policy "${other.ref}"` : `policy "${ref}" exists`;
		const facts = { conflict_id: other.id };
		throw new SvcError("SVC_CONFLICT", `Tried to save duplicate unique keys: ${problem}`, { cause, facts });
	}

	async #tell(): Promise<void> {
		await this.#parts.obey();
		this.#parts.changes.announceChange();
	}
}

function toWhere({ id, name, pack, resource_ref, policy_type }: PolicyFilter) {
	return {
		...(id !== undefined && { id: toInCondition(id) }),
		...(name !== undefined && { name: toInCondition(name) }),
		...withoutUndefined({ pack, resource_ref, policy_type }),
	};
}
