import type { JsonObject, JsonValue } from "./json.ts";

/** Type of a value, as in JSON schema. */
export type ParameterType = "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";

/**
 * Definition of a parameter: a JSON schema for its value, plus the attributes of the specification (`required`, `immutable`, `secret`,
 * `position`).
 *
 * Unknown attributes are refused when an action is registered.
 */
export interface ParameterDefinition {
	/** A single type name. Absent: any value. */
	readonly type?: ParameterType;
	readonly description?: string;
	/** Default value. A string that contains `{{` or `{%` is a template. */
	readonly default?: JsonValue;
	/** True if a value is required. A default satisfies the requirement. Default false. */
	readonly required?: boolean;
	/** True if the caller must not set the parameter, so that the default always applies. Default false. */
	readonly immutable?: boolean;
	/**
	 * True if the parameter determines the user, the machine or the code of an action. Only for parameters of runners. Default false.
	 *
	 * It is immutable for every caller, unless the action names it in its own definition or leaves a parameter with `opensReserved` to the
	 * caller.
	 */
	readonly reserved?: boolean;
	/**
	 * True if setting the parameter allows as much as setting the reserved parameters, as for a shell command on this machine. Default false.
	 *
	 * Only for parameters of runners. If an action leaves it to the caller, the reserved parameters are open too. Do not set it for a
	 * command that is isolated, for example in a container.
	 */
	readonly opensReserved?: boolean;
	/**
	 * Reserved parameter whose value this parameter can also contain, such as the user in `user@host`. Only for parameters of runners.
	 *
	 * If the caller must not set the reserved parameter, `schema` is merged into this definition. Otherwise the caller could choose the
	 * reserved value in this way.
	 */
	readonly reservedBy?: { readonly parameter: string; readonly schema: ParameterDefinition };
	/** True if the value is replaced by `********` wherever it leaves the service. Default false. */
	readonly secret?: boolean;
	/** Index among the positional arguments of a script, from 0 without gaps. */
	readonly position?: number;
	readonly enum?: readonly JsonValue[];
	readonly items?: ParameterDefinition | readonly ParameterDefinition[];
	readonly properties?: Readonly<Record<string, ParameterDefinition>>;
	readonly patternProperties?: Readonly<Record<string, ParameterDefinition>>;
	readonly additionalProperties?: boolean | ParameterDefinition;
	readonly additionalItems?: boolean | ParameterDefinition;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly exclusiveMinimum?: number | boolean;
	readonly exclusiveMaximum?: number | boolean;
	readonly multipleOf?: number;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly pattern?: string;
	readonly format?: string;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly uniqueItems?: boolean;
	readonly minProperties?: number;
	readonly maxProperties?: number;
	readonly dependencies?: JsonObject;
	readonly definitions?: JsonObject;
	readonly title?: string;
	readonly id?: string;
	readonly $schema?: string;
	readonly allOf?: readonly ParameterDefinition[];
	readonly anyOf?: readonly ParameterDefinition[];
	readonly oneOf?: readonly ParameterDefinition[];
	readonly not?: ParameterDefinition;
}

/** Parameter definitions by name (letters, digits, underscore), in declaration order. */
export type ParameterDefinitions = Readonly<Record<string, ParameterDefinition>>;

/** The TypeScript type of each parameter type. */
interface TypeOf {
	string: string;
	number: number;
	integer: number;
	boolean: boolean;
	array: readonly JsonValue[];
	object: JsonObject;
	null: null;
}

/** The type of a value that matches the definition. */
type ValueOf<D extends ParameterDefinition> = D extends { readonly enum: readonly (infer V)[] }
	? V
	: D extends { readonly type: infer T extends ParameterType }
		? TypeOf[T]
		: JsonValue;

/** True if the parameter always has a value: it is required or has a default other than null. */
type IsGiven<D extends ParameterDefinition> = D extends { readonly required: true }
	? true
	: D extends { readonly default: null }
		? false
		: D extends { readonly default: JsonValue }
			? true
			: false;

/**
 * The values that a runner receives for its schema, validated and with defaults applied.
 *
 * A parameter that is neither required nor has a default may be `undefined`.
 */
export type ParameterValues<S extends ParameterDefinitions> = {
	readonly [K in keyof S]: IsGiven<S[K]> extends true ? ValueOf<S[K]> : ValueOf<S[K]> | undefined;
};
