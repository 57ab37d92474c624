import { type Clock, type Storage, stringifyJson, type TriggerEntity, type TriggerTypeEntity } from "../../contract/index.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-if-absent.ts";
import { hashParameters } from "./parameters-hash.ts";

/** Make the stored trigger types say what `types` say, each with its own trigger when it has no parameters. */
export async function registerTriggerTypes(
	{ storage, clock }: { readonly storage: Storage; readonly clock: Clock },
	types: readonly Omit<TriggerTypeEntity, "id">[],
): Promise<void> {
	const refs = types.map(({ ref }) => ref);
	const stored = new Map((await storage.find("trigger_type", { where: { ref: { in: refs } } })).map((type) => [type.ref, type]));
	const shadows = new Set((await storage.find("trigger", { where: { ref: { in: refs } }, fields: ["ref"] })).map(({ ref }) => ref));
	for (const type of types) {
		const known = stored.get(type.ref);
		if (known === undefined) await insertOnce(() => storage.insert("trigger_type", [{ id: createId(clock), ...type }]));
		else if (stringifyJson(known) !== stringifyJson({ ...known, ...type })) await storage.update("trigger_type", known.id, type);
		if (isParameterless(type) && !shadows.has(type.ref)) await insertOnce(() => storage.insert("trigger", [toShadow(type, clock)]));
	}
}

/** Whether a type has one trigger of its own name. */
export function isParameterless({ parameters_schema: schema }: Pick<TriggerTypeEntity, "parameters_schema">): boolean {
	const { type: _type, properties, additionalProperties: _additional, ...rest } = schema;
	return Object.keys(properties ?? {}).length === 0 && Object.keys(rest).length === 0;
}

/** The one trigger of a type without parameters. */
export function toShadow(type: Omit<TriggerTypeEntity, "id">, clock: Clock): TriggerEntity {
	return {
		id: createId(clock),
		ref: type.ref,
		pack: type.pack,
		name: type.name,
		type: type.ref,
		parameters_hash: hashParameters({}),
		description: type.description,
		parameters: {},
	};
}
