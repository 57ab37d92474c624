import { randomUUID } from "node:crypto";
import { isSvcError, SvcError, type TriggerEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { assertRefNames } from "../../kernel/basics/names.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { assertMatchesSchema } from "../../kernel/events/payload-schema.ts";
import { hashParameters } from "../../kernel/events/trigger-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { restoreMaskedValues } from "../../secrets/restore-masked.ts";
import { maskTriggers } from "./trigger-secrets-exports.ts";
import { toNamedWhere } from "./trigger-types.ts";
import type { NamedFilter, NamedTrigger, RuleOfTrigger, TriggerInput, Triggers } from "./triggers-exports.ts";

export type TriggersDependencies = Uses<"storage" | "clock" | "dialects"> & Pick<Kernel, "changes" | "triggerCatalog" | "triggerTypes">;

/** Triggers kept in the storage. */
export class StoredTriggers implements Triggers {
	readonly #parts: TriggersDependencies;

	constructor(parts: TriggersDependencies) {
		this.#parts = parts;
	}

	async get(refOrId: string): Promise<TriggerEntity> {
		const { storage, dialects } = this.#parts;
		const [byRef] = await storage.find("trigger", { where: { ref: dialects.triggerType(refOrId) }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("trigger", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger "${refOrId}" cannot be found`);
		return found;
	}

	async namesOf(refs: readonly string[]): Promise<readonly NamedTrigger[]> {
		const fields = ["ref", "type", "pack", "name"] as const;
		return refs.length === 0 ? [] : this.#parts.storage.find("trigger", { where: { ref: { in: refs } }, fields });
	}

	async listByRef(refs: readonly string[]): Promise<readonly TriggerEntity[]> {
		return refs.length === 0 ? [] : this.#parts.storage.find("trigger", { where: { ref: { in: refs } } });
	}

	async rulesOf(refs: readonly string[]): Promise<readonly RuleOfTrigger[]> {
		if (refs.length === 0) return [];
		const fields = ["ref", "pack", "name", "trigger"] as const;
		return this.#parts.storage.find("rule", { where: { trigger: { in: refs } }, orderBy: [["ref", "asc"]], fields });
	}

	mask(triggers: readonly TriggerEntity[]): Promise<readonly TriggerEntity[]> {
		return maskTriggers(this.#parts.storage, triggers);
	}

	list(filter: NamedFilter): Promise<readonly TriggerEntity[]> {
		const { storage, dialects } = this.#parts;
		return storage.find("trigger", { where: toNamedWhere(filter, dialects), orderBy: [["ref", "asc"]] });
	}

	async create(input: TriggerInput): Promise<TriggerEntity> {
		const { storage, clock, changes } = this.#parts;
		const fields = await this.#toFields(input, input.name ?? randomUUID());
		const known = await this.#findSame(fields);
		if (known !== undefined) return known;
		const trigger = { id: createId(clock), ...fields };
		try {
			await storage.insert("trigger", [trigger]);
		} catch (error) {
			const other = isSvcError(error, "SVC_CONFLICT") ? await this.#findSame(fields) : undefined;
			if (other === undefined) throw error;
			return other;
		}
		changes.announceChange();
		return trigger;
	}

	async update(refOrId: string, input: TriggerInput, principal?: Principal): Promise<TriggerEntity> {
		const old = await this.get(refOrId);
		assertNotShadow(old);
		const fields = await this.#toFields(await this.#restore(input, old, principal), input.name ?? old.name, old.pack);
		await this.#assertFreeOfRules(old, fields);
		const changed = await this.#parts.storage.update("trigger", old.id, fields);
		if (changed === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger "${refOrId}" cannot be found`);
		this.#parts.changes.announceChange();
		return changed;
	}

	async remove(refOrId: string): Promise<void> {
		const trigger = await this.get(refOrId);
		assertNotShadow(trigger);
		await this.#parts.storage.remove("trigger", { where: { id: trigger.id } });
		this.#parts.changes.announceChange();
	}

	async #toFields(input: TriggerInput, name: string, ownPack?: string): Promise<Omit<TriggerEntity, "id">> {
		const { triggerCatalog, triggerTypes } = this.#parts;
		const { parameters = {} } = input;
		const type = await triggerCatalog.findType(input.type);
		if (type === undefined) throw new SvcError("SVC_INVALID", `type: trigger type "${input.type}" does not exist`);
		await waitForLoopBudget();
		assertMatchesSchema(type.parameters_schema, parameters, "parameters");
		triggerTypes.checkParameters(type.ref, parameters);
		const pack = input.pack ?? ownPack ?? type.pack;
		assertRefNames({ pack, name });
		return {
			ref: `${pack}.${name}`,
			pack,
			name,
			type: type.ref,
			parameters_hash: hashParameters(parameters),
			description: input.description ?? "",
			parameters,
		};
	}

	/** Throws `SVC_INVALID` if the ref or the type changes while rules use the trigger, because rules store both. */
	async #assertFreeOfRules(old: TriggerEntity, { ref, type }: Omit<TriggerEntity, "id">): Promise<void> {
		if (ref === old.ref && type === old.type) return;
		const rules = await this.#parts.storage.count("rule", { trigger: old.ref });
		if (rules > 0)
			throw new SvcError("SVC_INVALID", `trigger "${old.ref}": name, pack and type cannot change while rules use it (${rules})`);
	}

	/** Returns the input with each mask replaced by the stored value. */
	async #restore(input: TriggerInput, old: TriggerEntity, principal: Principal | undefined): Promise<TriggerInput> {
		if (input.parameters === undefined || this.#parts.dialects.triggerType(input.type) !== old.type) return input;
		const [{ parameters: shown } = old] = await this.mask([old]);
		return {
			...input,
			parameters: restoreMaskedValues("parameters", input.parameters, { masked: shown, stored: old.parameters }, { principal }),
		};
	}

	async #findSame({ ref, type, parameters_hash }: Omit<TriggerEntity, "id">): Promise<TriggerEntity | undefined> {
		const { storage } = this.#parts;
		const [byRef] = await storage.find("trigger", { where: { ref }, limit: 1 });
		const [byParameters] = byRef === undefined ? await storage.find("trigger", { where: { type, parameters_hash }, limit: 1 }) : [];
		return byRef ?? byParameters;
	}
}

/** Throws `SVC_INVALID` for the single trigger of a type without parameters: it is changed and removed only with its type. */
function assertNotShadow({ ref, type }: TriggerEntity): void {
	if (ref === type)
		throw new SvcError("SVC_INVALID", `trigger "${ref}" belongs to its trigger type: it is created, changed and removed with the type`);
}
