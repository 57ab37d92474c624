import { isSvcError, SvcError, type TriggerTypeEntity, type WriteOperation } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { assertNotSystemPack, assertRefNames } from "../../kernel/basics/names.ts";
import { type Page, readPage, toInCondition } from "../../kernel/basics/pagination.ts";
import { splitRef } from "../../kernel/basics/refs.ts";
import { isParameterless, toImplicitTrigger } from "../../kernel/events/trigger-type-registry.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Dialects } from "../../language/dialects.ts";
import { checkJsonSchema } from "../../language/parameters/check-schema.ts";
import type { NamedFilter, TriggerTypeInput, TriggerTypes } from "./triggers-exports.ts";

export type TriggerTypeDependencies = Uses<"storage" | "clock" | "dialects"> & Pick<Kernel, "changes">;

/** Trigger types kept in the storage. */
export class StoredTriggerTypes implements TriggerTypes {
	readonly #parts: TriggerTypeDependencies;

	constructor(parts: TriggerTypeDependencies) {
		this.#parts = parts;
	}

	refOf(ref: string): string {
		return this.#parts.dialects.triggerType(ref);
	}

	async get(refOrId: string): Promise<TriggerTypeEntity> {
		const { storage } = this.#parts;
		const [byRef] = await storage.find("trigger_type", { where: { ref: this.refOf(refOrId) }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("trigger_type", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger type "${refOrId}" cannot be found`);
		return found;
	}

	async list(
		filter: NamedFilter,
		{ orderBy = [["ref", "asc"]], ...paging }: Parameters<TriggerTypes["list"]>[1],
	): Promise<Page<TriggerTypeEntity>> {
		const { storage, dialects } = this.#parts;
		return readPage(storage, "trigger_type", { where: toNamedWhere(filter, dialects), orderBy, ...paging });
	}

	async create(input: TriggerTypeInput, metadataFile: string | null = null): Promise<TriggerTypeEntity> {
		assertNotSystemPack(input.pack);
		assertRefNames(input);
		const { storage, clock, changes } = this.#parts;
		const type = { id: createId(clock), ...toFields(input, { ...input, metadata_file: metadataFile }) };
		await storage
			.write([{ insert: "trigger_type", entities: [type] }, ...(await this.#toShadowChange(type))])
			.catch((error: unknown) => this.#toDuplicate(error, type.ref));
		changes.announceChange();
		return type;
	}

	async update(refOrId: string, input: TriggerTypeInput, metadataFile?: string | null): Promise<TriggerTypeEntity> {
		const old = await this.get(refOrId);
		assertNotSystemPack(old.pack);
		const fields = toFields(input, { ...old, ...(metadataFile !== undefined && { metadata_file: metadataFile }) });
		const type = { ...old, ...fields };
		await this.#parts.storage
			.write([{ update: "trigger_type", id: old.id, patch: fields, expected: { ref: old.ref } }, ...(await this.#toShadowChange(type))])
			.catch((error: unknown) => {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				throw new SvcError("SVC_CONFLICT", `trigger type "${old.ref}" was changed concurrently; try again`, { cause: error });
			});
		this.#parts.changes.announceChange();
		return type;
	}

	async remove(refOrId: string): Promise<void> {
		const { id, ref, pack } = await this.get(refOrId);
		assertNotSystemPack(pack);
		await this.#parts.storage.write([
			{ remove: "trigger_type", where: { id } },
			{ remove: "trigger", where: { ref, type: ref } },
		]);
		this.#parts.changes.announceChange();
	}

	async #toDuplicate(error: unknown, ref: string): Promise<never> {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		const [existing] = await this.#parts.storage.find("trigger_type", { where: { ref }, fields: ["ref"], limit: 1 });
		const facts = { conflict_id: existing?.id ?? null };
		throw new SvcError("SVC_CONFLICT", `Tried to save duplicate unique keys: trigger type "${ref}" already exists`, {
			cause: error,
			facts,
		});
	}

	/**
	 * Returns the write that creates or removes the trigger with the same ref as its type. This trigger exists exactly while the type has no
	 * parameters.
	 */
	async #toShadowChange(type: TriggerTypeEntity): Promise<WriteOperation[]> {
		const { storage, clock } = this.#parts;
		const isThere = (await storage.count("trigger", { ref: type.ref })) > 0;
		if (isParameterless(type)) return isThere ? [] : [{ insert: "trigger", entities: [toImplicitTrigger(type, clock)] }];
		return isThere ? [{ remove: "trigger", where: { ref: type.ref } }] : [];
	}
}

/**
 * Returns the storage condition for a filter of types or triggers. Dialect names are translated for both, because some triggers have the
 * name of their type.
 */
export function toNamedWhere({ id, name, pack, type }: NamedFilter, dialects: Dialects) {
	const toOwnName = (given: string) => splitRef(dialects.triggerType(`${pack ?? "core"}.${given}`)).name;
	return {
		...(id !== undefined && { id: toInCondition(id) }),
		...(name !== undefined && { name: toInCondition(typeof name === "string" ? toOwnName(name) : name.map(toOwnName)) }),
		...(pack !== undefined && { pack }),
		...(type !== undefined && { type: dialects.triggerType(type) }),
	};
}

/** Returns the fields of a trigger type to store. Throws `SVC_INVALID` for an unusable schema. */
export function toFields(
	input: TriggerTypeInput,
	{ pack, name, metadata_file }: Pick<TriggerTypeEntity, "pack" | "name" | "metadata_file">,
): Omit<TriggerTypeEntity, "id"> {
	const { payload_schema = {}, parameters_schema = {} } = input;
	checkJsonSchema(payload_schema, "payload_schema");
	checkJsonSchema(parameters_schema, "parameters_schema");
	return {
		ref: `${pack}.${name}`,
		pack,
		name,
		description: input.description ?? "",
		metadata_file,
		payload_schema,
		parameters_schema,
		tags: input.tags ?? [],
	};
}
