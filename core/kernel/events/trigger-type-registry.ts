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
import { insertIfAbsent } from "../basics/insert-if-absent.ts";
import type { Principal } from "../basics/principal.ts";
import { hashParameters, type ResolvedTrigger } from "./trigger-catalog.ts";

/** A trigger type whose events a feature of the service creates. */
export interface TriggerTypeDefinition {
	readonly type: Omit<TriggerTypeEntity, "id">;
	/** False if the type must not be registered. A type that was registered earlier remains protected (`assertInjectable`). Default true. */
	readonly isEnabled?: boolean;
	/** True if parameters and payloads are validated regardless of the options. Default false. */
	readonly isAlwaysChecked?: boolean;
	/** True if events of the type are stored only if a rule uses the type, because every execution causes one. Default false. */
	readonly isKeptForRulesOnly?: boolean;
	/** Checks of trigger parameters that their schema cannot express, such as the syntax of a schedule. Throws `SVC_INVALID`. */
	checkParameters?(parameters: JsonObject): void;
	/**
	 * Throws `SVC_FORBIDDEN` if the principal may not dispatch an event by naming its trigger. Default: only administrators may, because
	 * rules trust the events of the service's own triggers.
	 */
	assertInjectable?(trigger: ResolvedTrigger["trigger"], principal: Principal): void;
}

/** The trigger types of the service's features. */
export class TriggerTypeRegistry {
	readonly #read: () => readonly TriggerTypeDefinition[];

	/** @param read returns the definitions of all features */
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

	/** Throws `SVC_FORBIDDEN` if the trigger is of one of these types and the principal may not dispatch an event by naming it. */
	assertInjectable({ trigger, type }: ResolvedTrigger, principal: Principal): void {
		const definition = this.#find(type.ref);
		if (definition === undefined) return;
		if (definition.assertInjectable !== undefined) return definition.assertInjectable(trigger, principal);
		if (principal.isAdmin) return;
		throw new SvcError(
			"SVC_FORBIDDEN",
			`trigger: only administrators may dispatch "${trigger.ref}", because the service itself dispatches it`,
		);
	}

	#find(ref: string): TriggerTypeDefinition | undefined {
		return this.#read().find(({ type }) => type.ref === ref);
	}
}

/** Returns the JSON Schema of an object with these members. */
export function ofObject(properties: JsonObject, rest: JsonObject = {}): JsonObject {
	return { type: "object", properties, ...rest };
}

/** Returns a trigger type of the built-in pack `core`. `ref` must begin with `core.`. */
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

/**
 * Stores trigger types, or updates the stored ones. Also stores the implicit trigger of each type without parameters; it has the same ref
 * as its type.
 */
export async function registerTriggerTypes(
	{ storage, clock }: { readonly storage: Storage; readonly clock: Clock },
	types: readonly Omit<TriggerTypeEntity, "id">[],
): Promise<void> {
	const refs = types.map(({ ref }) => ref);
	const storedTypes = new Map((await storage.find("trigger_type", { where: { ref: { in: refs } } })).map((type) => [type.ref, type]));
	const triggerRefs = new Set((await storage.find("trigger", { where: { ref: { in: refs } }, fields: ["ref"] })).map(({ ref }) => ref));
	for (const type of types) {
		const storedType = storedTypes.get(type.ref);
		if (storedType === undefined) await insertIfAbsent(() => storage.insert("trigger_type", [{ id: createId(clock), ...type }]));
		else if (stringifyJson(storedType) !== stringifyJson({ ...storedType, ...type }))
			await storage.update("trigger_type", storedType.id, type);
		if (isParameterless(type) && !triggerRefs.has(type.ref))
			await insertIfAbsent(() => storage.insert("trigger", [toImplicitTrigger(type, clock)]));
	}
}

/** Returns true if a type takes no parameters. It then has one implicit trigger with the same ref. */
export function isParameterless({ parameters_schema: schema }: Pick<TriggerTypeEntity, "parameters_schema">): boolean {
	const { type: _type, properties, additionalProperties: _additional, ...rest } = schema;
	return Object.keys(properties ?? {}).length === 0 && Object.keys(rest).length === 0;
}

/** Returns the implicit trigger of a type without parameters. */
export function toImplicitTrigger(type: Omit<TriggerTypeEntity, "id">, clock: Clock): TriggerEntity {
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
