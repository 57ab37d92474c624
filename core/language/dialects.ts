import { type Dialect, type DialectKind, type DialectNames, isJsonObject, type JsonObject, SvcError } from "../contract/index.ts";

/** Names and translations of all configured dialects together. If several dialects define the same word, the first one takes precedence. */
export class Dialects {
	/** Translations without any dialect, so that only this service's own words exist. */
	static readonly none = new Dialects([]);

	/** Variables and functions of templates and expressions: dialect names mapped to this service's names. */
	readonly names: DialectNames;
	/** Names of the datastore in templates, in addition to this service's own name. */
	readonly datastoreNames: readonly string[];
	/** Directories with Python modules that packs import, in search order. */
	readonly pythonPaths: readonly string[];
	readonly #dialects: readonly Dialect[];
	readonly #runnerTypes: DialectNames;
	readonly #triggerTypes: DialectNames;
	readonly #environment: DialectNames;

	constructor(dialects: readonly Dialect[]) {
		this.#dialects = dialects;
		this.names = mergeTables(dialects.map(({ names }) => names));
		this.datastoreNames = Object.keys(this.names).filter((name) => this.names[name] === "svckv");
		this.pythonPaths = dialects.flatMap(({ pythonPath }) => pythonPath ?? []);
		this.#runnerTypes = mergeTables(dialects.map(({ runnerTypes }) => runnerTypes));
		this.#triggerTypes = mergeTables(dialects.map(({ triggerTypes }) => triggerTypes));
		this.#environment = mergeTables(dialects.map(({ environment }) => environment));
	}

	/** Returns this service's name of a runner type. */
	runnerType(name: string): string {
		return translateName(this.#runnerTypes, name);
	}

	/** Returns this service's ref of a trigger type. */
	triggerType(ref: string): string {
		return translateName(this.#triggerTypes, ref);
	}

	/** Returns this service's refs for one or several trigger types of a filter. */
	triggerTypes(refs: string | readonly string[]): string | readonly string[] {
		return typeof refs === "string" ? this.triggerType(refs) : refs.map((ref) => this.triggerType(ref));
	}

	/** Returns this service's names for one or several runner types of a filter. */
	runnerTypes(names: string | readonly string[]): string | readonly string[] {
		return typeof names === "string" ? this.runnerType(names) : names.map((name) => this.runnerType(name));
	}

	/** Returns the uid of a resource, such as `trigger_type:core:webhook`, with this service's name of the trigger type or runner type. */
	resourceUid(uid: string): string {
		const [type, ...names] = uid.split(":");
		if (type === "runner_type" && names.length === 1) return `runner_type:${this.runnerType(names[0] ?? "")}`;
		if (type !== "trigger_type" || names.length !== 2) return uid;
		return `trigger_type:${this.triggerType(names.join(".")).replace(".", ":")}`;
	}

	/** Returns the environment variables of a run, together with copies under their dialect names. */
	environment(variables: Readonly<Record<string, string>>): Record<string, string> {
		const copies = Object.entries(this.#environment).flatMap(([dialectName, ownName]): [string, string][] => {
			const value = Object.hasOwn(variables, ownName) ? variables[ownName] : undefined;
			return value === undefined ? [] : [[dialectName, value]];
		});
		return { ...Object.fromEntries(copies), ...variables };
	}

	/**
	 * Translates the metadata of a pack file to this service's words, without changing the argument. Throws `SVC_INVALID` if the metadata
	 * cannot be translated.
	 */
	translate(kind: DialectKind, metadata: JsonObject): JsonObject {
		let translated = metadata;
		for (const { attributes, normalize } of this.#dialects) {
			translated = rename(translated, attributes?.[kind] ?? {});
			translated = normalize?.(kind, translated) ?? translated;
		}
		return this.#translateReferences(kind, translated);
	}

	#translateReferences(kind: DialectKind, metadata: JsonObject): JsonObject {
		const { runner_type, trigger } = metadata;
		if (kind === "action" && typeof runner_type === "string") return { ...metadata, runner_type: this.runnerType(runner_type) };
		if (kind === "rule" && isJsonObject(trigger) && typeof trigger["type"] === "string") {
			return { ...metadata, trigger: { ...trigger, type: this.triggerType(trigger["type"]) } };
		}
		return metadata;
	}
}

/**
 * Returns the metadata with the dialect's attribute names replaced by those of this service, in the same order. Throws `SVC_INVALID` if an
 * attribute is given under both names.
 */
function rename(metadata: JsonObject, names: DialectNames): JsonObject {
	const dialectNames = Object.keys(metadata).filter((name) => Object.hasOwn(names, name) && names[name] !== name);
	if (dialectNames.length === 0) return metadata;
	const duplicate = dialectNames.find((name) => Object.hasOwn(metadata, names[name] as string));
	if (duplicate !== undefined) {
		throw new SvcError("SVC_INVALID", `attribute "${duplicate}" is an alias of "${names[duplicate]}"; give only one of them`);
	}
	return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [translateName(names, name), value]));
}

function translateName(names: DialectNames, name: string): string {
	return Object.hasOwn(names, name) ? (names[name] as string) : name;
}

function mergeTables(tables: readonly (DialectNames | undefined)[]): DialectNames {
	return Object.assign({}, ...tables.toReversed());
}
