import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue, ParameterDefinition, ParameterSchema, SvcError } from "../../contract/index.ts";
import { isSvcError, toErrorMessage } from "../../contract/index.ts";
import { type Datastore, DatastoreReference, emptyDatastore, isDatastoreName } from "../templates/datastore.ts";
import type { TemplateScope } from "../templates/scope.ts";
import { cast } from "./cast.ts";
import { assertDepth } from "./depth.ts";
import { templateProblem } from "./parameter-errors.ts";
import { holdsSecret } from "./schema-masking.ts";
import { toValueTemplate, type ValueTemplate } from "./value-template.ts";

/** Longest chain of parameters that use one another. */
const longestChain = 200;

/** What a parameter's value comes from. */
export interface Source {
	readonly value: JsonValue;
	/** Whether templates in it count. Stored values are plain text, whatever they hold. */
	readonly isRendered: boolean;
	/** Whether it is part of the request. Templates in it are the caller's, and what it holds the caller knows. */
	readonly isGiven?: boolean;
	/** The templates in the value when they are known already. */
	readonly template?: ValueTemplate | undefined;
}

export interface RenderingParts {
	readonly context: JsonObject;
	readonly source: (name: string) => Source | undefined;
	/** Default: no items. */
	readonly datastore?: Datastore | undefined;
	/** What templates of the caller may read; default: everything that the action's own may. */
	readonly given?: GivenAccess | undefined;
	/** Changes values of parameters that are not given. */
	readonly conceal?: ((name: string, value: JsonValue) => JsonValue) | undefined;
}

/** Values that templates in a request read. */
export interface GivenAccess {
	readonly context: JsonObject;
	readonly datastore: Datastore;
	/**
	 * The same with all secrets masked, for a caller who may not see them: a value that is another one there was made of one. Absent: the
	 * caller may see all values.
	 */
	readonly masked?: Rendering;
}

/** One rendering of all parameters: each is rendered when it is first asked for, so that the order follows their use of one another. */
export class Rendering implements TemplateScope {
	readonly datastore: Datastore;
	readonly #schema: ParameterSchema;
	readonly #context: JsonObject;
	readonly #source: (name: string) => Source | undefined;
	readonly #svckv: DatastoreReference;
	readonly #conceal: RenderingParts["conceal"];
	readonly #given: GivenAccess | undefined;
	readonly #givenScope: TemplateScope;
	readonly #values = new Map<string, JsonValue>();
	/** Parameters being rendered, from the first asked for to the innermost. */
	readonly #open: string[] = [];

	constructor(schema: ParameterSchema, { context, source, datastore = emptyDatastore, given, conceal }: RenderingParts) {
		this.#schema = schema;
		this.#context = context;
		this.#source = source;
		this.datastore = datastore;
		this.#svckv = new DatastoreReference(datastore, ["system", "user"]);
		this.#conceal = conceal;
		this.#given = given;
		this.#givenScope = given === undefined ? this : this.#toScope(given);
	}

	/** The rendered and cast value of a parameter; null when it has none. */
	resolve(name: string): JsonValue {
		const known = this.#values.get(name);
		if (known !== undefined) return known;
		const rendered = this.#render(name);
		const value = this.#conceal === undefined || this.#source(name)?.isGiven === true ? rendered : this.#conceal(name, rendered);
		// A text may have been cast to a deep value, or a template have made one.
		assertDepth(name, value);
		this.#values.set(name, value);
		return value;
	}

	lookup(name: string): JsonValue | DatastoreReference | undefined {
		if (this.#isParameter(name)) return this.resolve(name);
		if (name === "svckv") return this.#svckv;
		if (name === "__context") return this.#context;
		if (Object.hasOwn(this.#context, name)) return this.#context[name];
		return isDatastoreName(name, this.datastore) ? this.#svckv : undefined;
	}

	#toScope({ context, datastore }: GivenAccess): TemplateScope {
		const svckv = new DatastoreReference(datastore, ["system", "user"]);
		return {
			datastore,
			lookup: (name) => {
				if (this.#isParameter(name)) return this.#resolveOpen(name);
				if (name === "svckv") return svckv;
				if (name === "__context") return context;
				if (Object.hasOwn(context, name)) return context[name];
				return isDatastoreName(name, datastore) ? svckv : undefined;
			},
		};
	}

	/** The value of a parameter for a template of the caller. */
	#resolveOpen(name: string): JsonValue {
		const value = this.resolve(name);
		if (this.#given?.masked === undefined) return value;
		if (this.#source(name)?.isGiven === true || this.#isSameMasked(name, value)) return value;
		throw templateProblem(
			name,
			`Failed to render parameters: "${name}" is used by a given one, and its value is a secret that was not given`,
		);
	}

	#isSameMasked(name: string, value: JsonValue): boolean {
		try {
			return isDeepStrictEqual(this.#given?.masked?.resolve(name), value);
		} catch {
			// A mask in place of a secret cannot be used like it.
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
		const template = source.isRendered ? (source.template ?? this.#guarded(name, () => toValueTemplate(source.value))) : undefined;
		if (template === undefined) return cast(name, source.value, definition, { rendered: false });
		this.#open.push(name);
		const isGiven = source.isGiven === true;
		const context = isGiven ? (this.#given?.context ?? this.#context) : this.#context;
		// A caller's text may hold braces that mean something to the command it is for, such as those of Go templates.
		const isKnown = isGiven ? (used: string) => this.#isKnown(used) : undefined;
		for (const used of template.names) if (isKnown?.(used) !== false) this.#prepare(name, used, context);
		const rendered = this.#guarded(name, () => template.render(isGiven ? this.#givenScope : this, isKnown));
		this.#open.pop();
		return cast(name, rendered, definition, { rendered: true });
	}

	/** Returns true if a name means something to a template of the action. One of the caller is refused some of these names. */
	#isKnown(used: string): boolean {
		return this.#isParameter(used) || used === "__context" || isDatastoreName(used, this.datastore) || Object.hasOwn(this.#context, used);
	}

	/** Render what a parameter uses before the parameter itself. */
	#prepare(name: string, used: string, context: JsonObject): void {
		const start = this.#open.indexOf(used);
		if (start >= 0) {
			const cycle = [...this.#open.slice(start), used].join(" -> ");
			throw templateProblem(name, `Cyclic dependency found in the following variables: ${cycle}`);
		}
		if (this.#open.length > longestChain)
			throw templateProblem(name, `Failed to render parameter "${name}": more than ${longestChain} parameters use one another in a row`);
		if (this.#isParameter(used)) this.resolve(used);
		else if (used !== "__context" && !isDatastoreName(used, this.datastore) && !Object.hasOwn(context, used)) {
			if (this.#isSecret(name)) throw hiddenProblem(name);
			if (Object.hasOwn(this.#context, used)) {
				throw templateProblem(
					name,
					`Dependency unsatisfied in variable "${used}": parameter "${name}" uses it, and only templates of the action itself may`,
				);
			}
			throw templateProblem(
				name,
				`Dependency unsatisfied in variable "${used}": parameter "${name}" uses it, and there is no such parameter or name`,
			);
		}
	}

	#isSecret(name: string): boolean {
		const definition = ownMember(this.#schema as unknown as JsonObject, name);
		return definition !== undefined && holdsSecret(definition as ParameterDefinition);
	}

	#guarded<T>(name: string, action: () => T): T {
		try {
			return action();
		} catch (error) {
			if (isSvcError(error)) throw error;
			if (this.#isSecret(name)) throw hiddenProblem(name);
			throw templateProblem(name, `Failed to render parameter "${name}": ${toErrorMessage(error)}`, error);
		}
	}
}

/** The template is part of a secret, and messages quote templates. */
function hiddenProblem(name: string): SvcError {
	return templateProblem(name, `Failed to render parameter "${name}": its template uses something that does not exist or is not allowed`);
}

function ownMember(object: JsonValue | undefined, key: string): JsonValue | undefined {
	if (typeof object !== "object" || object === null || !Object.hasOwn(object, key)) return undefined;
	return (object as JsonObject)[key];
}
