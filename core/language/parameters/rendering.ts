import { isDeepStrictEqual } from "node:util";
import {
	isSvcError,
	type JsonObject,
	type JsonValue,
	type ParameterDefinitions,
	type SvcError,
	toErrorMessage,
} from "../../contract/index.ts";
import { type Datastore, DatastoreReference, emptyDatastore, isDatastoreName } from "../templates/datastore.ts";
import type { TemplateScope } from "../templates/scope.ts";
import { cast } from "./cast.ts";
import { assertDepth } from "./depth.ts";
import { toTemplateError } from "./parameter-errors.ts";
import { holdsSecret } from "./schema-masking.ts";
import { toValueTemplate, type ValueTemplate } from "./value-template.ts";

/** Maximum number of parameters that use each other in a chain. */
const maxChainLength = 200;

/** Value of a parameter before rendering. */
export interface ParameterSource {
	readonly value: JsonValue;
	/** True if templates in the value are rendered. Stored values are literals, even if they look like templates. */
	readonly isRendered: boolean;
	/**
	 * True if the value is part of the request. Its templates then belong to the caller. `conceal` is not applied to it, because the caller
	 * has sent it.
	 */
	readonly isFromCaller?: boolean;
	/** Compiled templates of the value, if they are available. */
	readonly template?: ValueTemplate | undefined;
}

/** Data and access rules of a rendering. */
export interface RenderingOptions {
	readonly context: JsonObject;
	/** Returns the unrendered value of a parameter; undefined if it has none. */
	readonly sourceOf: (name: string) => ParameterSource | undefined;
	/** Datastore that `svckv` reads. Default: no items. */
	readonly datastore?: Datastore | undefined;
	/** Data that templates of the caller may read. Default: the data that templates of the action may read. */
	readonly callerAccess?: CallerAccess | undefined;
	/** Replaces the rendered value of a parameter that is not part of the request. */
	readonly conceal?: ((name: string, value: JsonValue) => JsonValue) | undefined;
}

/** Data that templates in a request may read. */
export interface CallerAccess {
	readonly context: JsonObject;
	readonly datastore: Datastore;
	/**
	 * Rendering of the same parameters with all secrets masked. A parameter whose value differs between the two renderings derives from a
	 * secret, and the caller's templates cannot read it. Undefined if the caller may see all values.
	 */
	readonly maskedRendering?: Rendering;
}

/**
 * Renders the parameters of one execution. Each parameter is rendered when its value is first needed, so that the order follows the
 * references between parameters.
 */
export class Rendering implements TemplateScope {
	readonly datastore: Datastore;
	readonly #schema: ParameterDefinitions;
	readonly #context: JsonObject;
	readonly #source: (name: string) => ParameterSource | undefined;
	readonly #names: ContextNames;
	readonly #conceal: RenderingOptions["conceal"];
	readonly #callerAccess: CallerAccess | undefined;
	readonly #callerScope: TemplateScope;
	readonly #values = new Map<string, JsonValue>();
	/** Parameters that are currently being rendered, from the outermost to the innermost. */
	readonly #namesInProgress: string[] = [];

	constructor(schema: ParameterDefinitions, { context, sourceOf, datastore = emptyDatastore, callerAccess, conceal }: RenderingOptions) {
		this.#schema = schema;
		this.#context = context;
		this.#source = sourceOf;
		this.datastore = datastore;
		this.#names = { context, datastore, svckv: new DatastoreReference(datastore, ["system", "user"]) };
		this.#conceal = conceal;
		this.#callerAccess = callerAccess;
		this.#callerScope = callerAccess === undefined ? this : this.#toCallerScope(callerAccess);
	}

	/** Returns the rendered and cast value of a parameter; null if it has none. Throws `SVC_INVALID` if rendering fails. */
	resolve(name: string): JsonValue {
		const cachedValue = this.#values.get(name);
		if (cachedValue !== undefined) return cachedValue;
		const renderedValue = this.#render(name);
		const value =
			this.#conceal === undefined || this.#source(name)?.isFromCaller === true ? renderedValue : this.#conceal(name, renderedValue);
		// A cast string or the result of a template may be nested too deeply.
		assertDepth(name, value);
		this.#values.set(name, value);
		return value;
	}

	lookup(name: string): JsonValue | DatastoreReference | undefined {
		return this.#isParameter(name) ? this.resolve(name) : findInContext(name, this.#names);
	}

	#toCallerScope({ context, datastore }: CallerAccess): TemplateScope {
		const names = { context, datastore, svckv: new DatastoreReference(datastore, ["system", "user"]) };
		return { datastore, lookup: (name) => (this.#isParameter(name) ? this.#resolveForCaller(name) : findInContext(name, names)) };
	}

	/**
	 * Returns the value of a parameter for a template of the caller. Throws `SVC_INVALID` if the value derives from a secret that the caller
	 * did not send.
	 */
	#resolveForCaller(name: string): JsonValue {
		const value = this.resolve(name);
		if (this.#callerAccess?.maskedRendering === undefined) return value;
		if (this.#source(name)?.isFromCaller === true || this.#isUnaffectedByMasking(name, value)) return value;
		throw toTemplateError(
			name,
			`Failed to render parameters: a given parameter uses "${name}", whose value is a secret that was not given`,
		);
	}

	#isUnaffectedByMasking(name: string, value: JsonValue): boolean {
		try {
			return isDeepStrictEqual(this.#callerAccess?.maskedRendering?.resolve(name), value);
		} catch {
			// The masked rendering can fail where a template needs the real secret; the value then derives from that secret.
			return false;
		}
	}

	#isParameter(name: string): boolean {
		return Object.hasOwn(this.#schema, name) || this.#source(name) !== undefined;
	}

	#render(name: string): JsonValue {
		const source = this.#source(name);
		if (source === undefined) return null;
		const definition = Object.hasOwn(this.#schema, name) ? this.#schema[name] : undefined;
		const template = source.isRendered
			? (source.template ?? this.#withTemplateErrors(name, () => toValueTemplate(source.value)))
			: undefined;
		if (template === undefined) return cast(name, source.value, definition, { isTemplateOutput: false });
		this.#namesInProgress.push(name);
		const isFromCaller = source.isFromCaller === true;
		const context = isFromCaller ? (this.#callerAccess?.context ?? this.#context) : this.#context;
		// A caller's string may contain braces of another template language, such as Go templates, for the command that receives it.
		const isKnown = isFromCaller ? (variable: string) => this.#isKnown(variable) : undefined;
		for (const variable of template.names) if (isKnown?.(variable) !== false) this.#resolveDependency(name, variable, context);
		const renderedValue = this.#withTemplateErrors(name, () => template.render(isFromCaller ? this.#callerScope : this, isKnown));
		this.#namesInProgress.pop();
		return cast(name, renderedValue, definition, { isTemplateOutput: true });
	}

	/** Returns true if a name exists for templates of the action. Templates of the caller may still be refused some of these names. */
	#isKnown(variable: string): boolean {
		return (
			this.#isParameter(variable) ||
			variable === "__context" ||
			isDatastoreName(variable, this.datastore) ||
			Object.hasOwn(this.#context, variable)
		);
	}

	/** Renders the parameter that a template uses. Doing this before the template itself detects cycles and reports unknown names clearly. */
	#resolveDependency(name: string, variable: string, context: JsonObject): void {
		const start = this.#namesInProgress.indexOf(variable);
		if (start >= 0) {
			const cycle = [...this.#namesInProgress.slice(start), variable].join(" -> ");
			throw toTemplateError(name, `Cyclic dependency found in the following variables: ${cycle}`);
		}
		if (this.#namesInProgress.length > maxChainLength)
			throw toTemplateError(name, `Failed to render parameter "${name}": a chain of more than ${maxChainLength} parameters use each other`);
		if (this.#isParameter(variable)) this.resolve(variable);
		else if (variable !== "__context" && !isDatastoreName(variable, this.datastore) && !Object.hasOwn(context, variable)) {
			if (this.#isSecret(name)) throw problemWithoutDetails(name);
			if (Object.hasOwn(this.#context, variable)) {
				throw toTemplateError(
					name,
					`Dependency unsatisfied in variable "${variable}": parameter "${name}" uses it, but only templates of the action itself may`,
				);
			}
			throw toTemplateError(
				name,
				`Dependency unsatisfied in variable "${variable}": parameter "${name}" uses it, but no such parameter or name exists`,
			);
		}
	}

	#isSecret(name: string): boolean {
		const definition = Object.hasOwn(this.#schema, name) ? this.#schema[name] : undefined;
		return definition !== undefined && holdsSecret(definition);
	}

	#withTemplateErrors<T>(name: string, work: () => T): T {
		try {
			return work();
		} catch (error) {
			if (isSvcError(error)) throw error;
			if (this.#isSecret(name)) throw problemWithoutDetails(name);
			throw toTemplateError(name, `Failed to render parameter "${name}": ${toErrorMessage(error)}`, error);
		}
	}
}

/** Returns an error without details: messages quote templates, and this template is part of a secret. */
function problemWithoutDetails(name: string): SvcError {
	return toTemplateError(name, `Failed to render parameter "${name}": its template uses something that does not exist or is not allowed`);
}

/** Names of templates in addition to the parameters. */
interface ContextNames extends Pick<CallerAccess, "context" | "datastore"> {
	readonly svckv: DatastoreReference;
}

/** Returns the value of a name that is not a parameter; undefined if the name does not exist. */
function findInContext(name: string, { context, datastore, svckv }: ContextNames): JsonValue | DatastoreReference | undefined {
	if (name === "svckv") return svckv;
	if (name === "__context") return context;
	if (Object.hasOwn(context, name)) return context[name];
	return isDatastoreName(name, datastore) ? svckv : undefined;
}
