import {
	type Clock,
	type JsonObject,
	type Storage,
	SvcError,
	stringifyJson,
	type TriggerEntity,
	type TriggerTypeEntity,
} from "../../contract/index.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-if-absent.ts";
import type { Principal } from "../basics/principal.ts";
import { hashParameters, type ResolvedTrigger } from "./trigger-catalog.ts";

/** A trigger type whose events the service itself makes, by one of its features. */
export interface TriggerTypeDefinition {
	readonly type: Omit<TriggerTypeEntity, "id">;
	/** Default true. Otherwise it is not made known to anybody, and yet guarded where it was known before. */
	readonly isEnabled?: boolean;
	/** Parameters and payloads are checked whatever the options say. Default false. */
	readonly isAlwaysChecked?: boolean;
	/** Every execution would make an event of it: one that nobody listens to is not kept. Default false. */
	readonly isKeptForRulesOnly?: boolean;
	/** What a schema cannot say of the parameters of a trigger, such as whether a schedule can be read. Throws `SVC_INVALID`. */
	checkParameters?(parameters: JsonObject): void;
	/**
	 * Refuses somebody who has an event happen just by naming its trigger: throws `SVC_FORBIDDEN`. Default: everybody but
	 * administrators, as rules believe what the service's own triggers tell them.
	 */
	assertInjectable?(trigger: ResolvedTrigger["trigger"], principal: Principal): void;
}

/** The trigger types of the service's features. */
export class OwnTriggerTypes {
	readonly #read: () => readonly TriggerTypeDefinition[];

	/** @param read the definitions of all features */
	constructor(read: () => readonly TriggerTypeDefinition[]) {
		this.#read = read;
	}

	get all(): readonly TriggerTypeDefinition[] {
		return this.#read();
	}

	isAlwaysChecked(ref: string): boolean {
		return this.#find(ref)?.isAlwaysChecked === true;
	}

	isKeptForRulesOnly(ref: string): boolean {
		return this.#find(ref)?.isKeptForRulesOnly === true;
	}

	checkParameters(ref: string, parameters: JsonObject): void {
		this.#find(ref)?.checkParameters?.(parameters);
	}

	/** Whether somebody may have an event happen just by naming its trigger: events of own types come from where they happen. */
	assertInjectable({ trigger, type }: ResolvedTrigger, principal: Principal): void {
		const own = this.#find(type.ref);
		if (own === undefined) return;
		if (own.assertInjectable !== undefined) return own.assertInjectable(trigger, principal);
		if (principal.isAdmin) return;
		throw new SvcError(
			"SVC_FORBIDDEN",
			`trigger: only administrators may dispatch "${trigger.ref}", which the service itself does when it happens`,
		);
	}

	#find(ref: string): TriggerTypeDefinition | undefined {
		return this.#read().find(({ type }) => type.ref === ref);
	}
}

/** JSON Schema of an object with these members. */
export function ofObject(properties: JsonObject, rest: JsonObject = {}): JsonObject {
	return { type: "object", properties, ...rest };
}

/** A type of the built-in pack. `ref` begins with `core.`. */
export function defineTriggerType(
	ref: string,
	description: string,
	payload: JsonObject,
	parameters: JsonObject = {},
): Omit<TriggerTypeEntity, "id"> {
	return {
		ref,
		pack: "core",
		name: ref.slice("core.".length),
		description,
		metadata_file: null,
		payload_schema: payload,
		parameters_schema: parameters,
		tags: [],
	};
}

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
