import { extname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
	type ActionEntity,
	isSvcError,
	type JsonObject,
	type ParameterDefinitions,
	SvcError,
	stringifyJson,
	type Where,
	type WriteOperation,
} from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { assertNotSystemPack, assertRefNames } from "../../kernel/basics/names.ts";
import { type Page, readPage, toInCondition } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Dispatcher, EventDraft } from "../../kernel/events/event-dispatcher-api.ts";
import type { ExtensionPoints } from "../../kernel/extension-points.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Dialects } from "../../language/dialects.ts";
import { checkParameterDefinitions } from "../../language/parameters/check-definitions.ts";
import { checkOutputSchema } from "../../language/parameters/check-schema.ts";
import { restoreParameterDefaults } from "../../secrets/parameter-default-masking.ts";
import type { Access } from "../access/access-exports.ts";
import { ActionFileEditor, toNamedFiles } from "./action-file-editor.ts";
import type { ActionFilter, ActionInput, ActionListing, Actions } from "./actions-exports.ts";

interface StoredActionsDependencies extends Uses<"storage" | "clock">, Pick<Kernel, "catalog"> {
	readonly access: Pick<Access, "allows" | "assert">;
	readonly dialects: Pick<Dialects, "runnerType">;
	/** Creates the events for files that are written. */
	readonly draft: Dispatcher["draft"];
	readonly extensions: Pick<ExtensionPoints, "isBuiltInRunner">;
}

const orderBy = [
	["pack", "asc"],
	["name", "asc"],
] as const;

export class StoredActions implements Actions {
	readonly #parts: StoredActionsDependencies;
	readonly #files: ActionFileEditor;

	constructor(parts: StoredActionsDependencies) {
		this.#parts = parts;
		this.#files = new ActionFileEditor(parts);
	}

	async list(filter: ActionFilter, listing: ActionListing): Promise<Page<ActionEntity>> {
		return readPage(this.#parts.storage, "action", { where: toWhere(filter), orderBy, ...listing });
	}

	async create(input: ActionInput, principal?: Principal): Promise<ActionEntity> {
		const fields = await this.#check(input, input.pack ?? "default");
		return this.#insert(fields, await this.#files.write({ fields, principal }, input.data_files));
	}

	async update(refOrId: string, input: ActionInput, principal?: Principal): Promise<ActionEntity> {
		const old = await this.get(refOrId);
		assertNotSystemPack(old.pack);
		const fields = await this.#check(input, input.pack ?? old.pack, old);
		assertHiddenStay(input, { fields, old, principal });
		const drafts = await this.#files.write({ fields, stored: old, principal }, input.data_files);
		const operation: WriteOperation = { update: "action", id: old.id, patch: fields, expected: { id: old.id } };
		await this.#store(fields.ref, operation, drafts).catch(async (error: unknown) => {
			// The action may have been deleted in the meantime, which the storage also reports as a conflict.
			await this.get(old.id);
			throw error;
		});
		return { id: old.id, ...fields };
	}

	async remove(refOrId: string, options: Parameters<Actions["remove"]>[1], principal?: Principal): Promise<void> {
		const action = await this.get(refOrId);
		assertNotSystemPack(action.pack);
		if (options.removeFiles) await this.#files.remove(action, principal);
		await this.#parts.storage.remove("action", { where: { id: action.id } });
		this.#parts.catalog.invalidate();
	}

	async clone(
		refOrId: string,
		{ dest_pack, dest_action, overwrite }: Parameters<Actions["clone"]>[1],
		principal?: Principal,
	): Promise<ActionEntity> {
		const source = await this.get(refOrId);
		const suffix = extname(source.entry_point);
		const target = {
			name: dest_action,
			...(source.entry_point !== "" && { entry_point: `${dest_action}${suffix}` }),
			metadata_file: `actions/${dest_action}.yaml`,
		};
		const fields = await this.#check(toInput(source, target), dest_pack);
		const existing = await this.get(fields.ref).catch(() => undefined);
		if (existing !== undefined && !overwrite)
			throw new SvcError("SVC_INVALID", `dest_action: action "${fields.ref}" already exists; set overwrite to replace it`);
		await this.#files.clone(source, { fields, stored: existing, principal });
		if (existing === undefined) return this.#insert(fields);
		const changed = await this.#parts.storage.update("action", existing.id, fields);
		this.#parts.catalog.invalidate();
		return changed ?? this.#insert(fields);
	}

	async entryPoint(refOrId: string): ReturnType<Actions["entryPoint"]> {
		const action = await this.get(refOrId);
		const text = await this.#files.readEntryPoint(action);
		if (text === undefined) throw new SvcError("SVC_NOT_FOUND", `action "${action.ref}" has no readable entry point`);
		return { path: action.entry_point, text };
	}

	async get(refOrId: string): Promise<ActionEntity> {
		const [byRef] = await this.#parts.storage.find("action", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await this.#parts.storage.get("action", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `action "${refOrId}" cannot be found`);
		return found;
	}

	async runnerParameters(actions: readonly ActionEntity[]): Promise<readonly ParameterDefinitions[]> {
		const names = [...new Set(actions.map((action) => action.runner_type))];
		const types = await this.#parts.storage.find("runner_type", { where: { name: { in: names } }, fields: ["name", "runner_parameters"] });
		const byName = new Map(types.map((type) => [type.name, type.runner_parameters]));
		return actions.map((action) => byName.get(action.runner_type) ?? {});
	}

	async #parametersOf(name: string): Promise<ParameterDefinitions> {
		const [type] = await this.#parts.storage.find("runner_type", { where: { name }, limit: 1 });
		if (type === undefined) throw new SvcError("SVC_INVALID", `runner_type: "${name}" is not a registered runner type`);
		return type.runner_parameters;
	}

	async #checkParameters(
		input: Pick<ActionInput, "runner_type" | "parameters">,
		old: ActionEntity | undefined,
	): Promise<ParameterDefinitions> {
		const parameters = await this.#parametersOf(input.runner_type);
		const given = checkParameterDefinitions(input.parameters ?? {}, parameters);
		if (old === undefined) return restoreParameterDefaults(given, undefined, parameters);
		const [runnerParameters = {}] = await this.runnerParameters([old]);
		return restoreParameterDefaults(given, { parameters: old.parameters, runnerParameters }, parameters);
	}

	/** Checks the input of a create or update in a fixed order, so that clients get a stable error. Returns the fields to store. */
	async #check(input: ActionInput, pack: string, old?: ActionEntity): Promise<Omit<ActionEntity, "id">> {
		assertNotSystemPack(pack);
		assertRefNames({ pack, name: input.name });
		const runner_type = this.#parts.dialects.runnerType(input.runner_type);
		if (this.#parts.extensions.isBuiltInRunner(runner_type))
			throw new SvcError("SVC_INVALID", `runner_type: "${runner_type}" runs only actions of built-in packs`);
		const parameters = await this.#checkParameters({ ...input, runner_type }, old);
		const { output_schema = {} } = input;
		checkOutputSchema(output_schema, "output_schema");
		return {
			ref: `${pack}.${input.name}`,
			pack,
			name: input.name,
			description: input.description ?? "",
			runner_type,
			enabled: input.enabled ?? true,
			...toNamedFiles(input),
			parameters,
			output_schema,
			tags: input.tags ?? [],
			notify: input.notify ?? {},
			// An update does not change the files of an installed pack, so the action still refers to the same version of them.
			content: old?.pack === pack ? old.content : null,
		};
	}

	/** Stores an action together with the events of its files. */
	async #store(ref: string, operation: WriteOperation, drafts: readonly EventDraft[]): Promise<void> {
		await this.#parts.storage
			.write([operation, ...drafts.flatMap(({ operations }) => operations)])
			.catch((error: unknown) => this.#toDuplicate(error, ref));
		this.#parts.catalog.invalidate();
		for (const draft of drafts) draft.announce();
	}

	async #insert(fields: Omit<ActionEntity, "id">, drafts: readonly EventDraft[] = []): Promise<ActionEntity> {
		const action = { id: createId(this.#parts.clock), ...fields };
		await this.#store(fields.ref, { insert: "action", entities: [action] }, drafts);
		return action;
	}

	async #toDuplicate(error: unknown, ref: string): Promise<never> {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		const [existing] = await this.#parts.storage.find("action", { where: { ref }, fields: ["ref"], limit: 1 });
		throw new SvcError("SVC_CONFLICT", `Tried to save duplicate unique keys: action "${ref}" exists`, {
			cause: error,
			facts: { conflict_id: existing?.id ?? null },
		});
	}
}

function toWhere({ id, name, pack, tags }: ActionFilter): Where<ActionEntity> {
	return {
		...(id !== undefined && { id: toInCondition(id) }),
		...(name !== undefined && { name: toInCondition(name) }),
		...(pack !== undefined && { pack }),
		...(tags !== undefined && { tags: { member: ["name", tags] } }),
	};
}

function toInput(source: ActionEntity, target: Partial<ActionInput> & { readonly name: string }): ActionInput {
	return {
		description: source.description,
		runner_type: source.runner_type,
		enabled: source.enabled,
		parameters: source.parameters as unknown as JsonObject,
		output_schema: source.output_schema,
		tags: source.tags,
		notify: source.notify,
		...target,
	};
}

interface ActionChange {
	/** Fields that will be stored. */
	readonly fields: Omit<ActionEntity, "id">;
	readonly old: ActionEntity;
	/** Undefined if the embedding program itself makes the change; it may do everything. */
	readonly principal: Pick<Principal, "isAdmin"> | undefined;
}

/** Members of an action that decide where the defaults of its parameters are sent. */
const deciding = ["pack", "runner_type", "entry_point", "parameters", "output_schema", "notify"] as const;

/**
 * Throws `SVC_INVALID` if a user who is not an administrator keeps a hidden default and changes where that default is sent.
 * Otherwise the changed program, template or notification could reveal it.
 */
export function assertHiddenStay(input: ActionInput, { fields, old, principal }: ActionChange): void {
	if (principal === undefined || principal.isAdmin || !stringifyJson(input.parameters ?? {}).includes(stringifyJson(secretMask))) return;
	const changed = deciding.find((name) => !isDeepStrictEqual(fields[name], old[name]));
	const named = changed ?? ((input.data_files ?? []).length > 0 ? "data_files" : undefined);
	if (named === undefined) return;
	throw new SvcError(
		"SVC_INVALID",
		`parameters: "${secretMask}" keeps a hidden default only if "${named}" is unchanged; give the actual value`,
	);
}
