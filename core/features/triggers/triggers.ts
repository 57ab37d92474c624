import { randomUUID } from "node:crypto";
import { type Clock, isSvcError, type JsonObject, type Storage, SvcError, type TriggerEntity } from "../../contract/index.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { assertNames } from "../../kernel/basics/names.ts";
import type { OwnTriggerTypes } from "../../kernel/events/own-trigger-types.ts";
import { hashParameters } from "../../kernel/events/parameters-hash.ts";
import { checkAgainst } from "../../kernel/events/schema.ts";
import type { TriggerCatalog } from "../../kernel/events/trigger-catalog.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";
import { roomInTurn } from "../../language/loop-turn.ts";
import { restoreMasked } from "../../language/parameters/mask.ts";
import { maskTriggers } from "./trigger-secrets-api.ts";
import { toNamedWhere } from "./trigger-types.ts";
import type { TriggerInput, Triggers } from "./triggers-api.ts";

export interface TriggersParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly changes: ChangeFeed;
	readonly triggerCatalog: TriggerCatalog;
	readonly triggerTypes: OwnTriggerTypes;
}

export function createTriggers({ storage, clock, changes, triggerCatalog, triggerTypes }: TriggersParts): Triggers {
	async function get(refOrId: string): Promise<TriggerEntity> {
		const [byRef] = await storage.find("trigger", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("trigger", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger "${refOrId}" cannot be found`);
		return found;
	}

	async function toFields(input: TriggerInput, name: string, ownPack?: string): Promise<Omit<TriggerEntity, "id">> {
		const { parameters = {} } = input;
		const type = await triggerCatalog.type(input.type);
		if (type === undefined) throw new SvcError("SVC_INVALID", `type: there is no trigger type "${input.type}"`);
		await roomInTurn();
		checkAgainst(type.parameters_schema, parameters, "parameters");
		triggerTypes.checkParameters(type.ref, parameters);
		const pack = input.pack ?? ownPack ?? type.pack;
		assertNames({ pack, name });
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

	/** The one trigger of a type without parameters is there as long as its type. */
	function assertNotShadow({ ref, type }: TriggerEntity): void {
		if (ref === type) throw new SvcError("SVC_INVALID", `trigger "${ref}" belongs to its type: it comes, changes and goes with that`);
	}

	/** Rules name their trigger by its ref, and know its type. */
	async function assertFreeOfRules(old: TriggerEntity, { ref, type }: Omit<TriggerEntity, "id">): Promise<void> {
		if (ref === old.ref && type === old.type) return;
		const rules = await storage.count("rule", { trigger: old.ref });
		if (rules > 0)
			throw new SvcError("SVC_INVALID", `trigger "${old.ref}": name, pack and type cannot change while rules use it (${rules})`);
	}

	/** The input with what is stored in the places that still hold the mask. */
	async function restore(input: TriggerInput, old: TriggerEntity): Promise<TriggerInput> {
		if (input.parameters === undefined || input.type !== old.type) return input;
		const [shown] = await maskTriggers(storage, [old]);
		return { ...input, parameters: restoreMasked(input.parameters, shown?.parameters, old.parameters) as JsonObject };
	}

	async function findSame({ ref, type, parameters_hash }: Omit<TriggerEntity, "id">): Promise<TriggerEntity | undefined> {
		const [byRef] = await storage.find("trigger", { where: { ref }, limit: 1 });
		const [byParameters] = byRef === undefined ? await storage.find("trigger", { where: { type, parameters_hash }, limit: 1 }) : [];
		return byRef ?? byParameters;
	}

	return {
		get,
		mask: (triggers) => maskTriggers(storage, triggers),
		list: (filter) => storage.find("trigger", { where: toNamedWhere(filter), orderBy: [["ref", "asc"]] }),

		async create(input) {
			const fields = await toFields(input, input.name ?? randomUUID());
			const known = await findSame(fields);
			if (known !== undefined) return known;
			const trigger = { id: createId(clock), ...fields };
			try {
				await storage.insert("trigger", [trigger]);
			} catch (error) {
				const other = isSvcError(error, "SVC_CONFLICT") ? await findSame(fields) : undefined;
				if (other === undefined) throw error;
				return other;
			}
			changes.changed();
			return trigger;
		},

		async update(refOrId, input) {
			const old = await get(refOrId);
			assertNotShadow(old);
			const fields = await toFields(await restore(input, old), input.name ?? old.name, old.pack);
			await assertFreeOfRules(old, fields);
			const changed = await storage.update("trigger", old.id, fields);
			if (changed === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger "${refOrId}" cannot be found`);
			changes.changed();
			return changed;
		},

		async remove(refOrId) {
			const trigger = await get(refOrId);
			assertNotShadow(trigger);
			await storage.remove("trigger", { where: { id: trigger.id } });
			changes.changed();
		},
	};
}
