import { access } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, SvcError, toErrorMessage } from "../../../contract/index.ts";
import { type Attribute, checkAttributes, flag, object } from "../../../language/file-attributes.ts";
import { toObjectSchema } from "../../../language/file-schema.ts";
import type { PackKind } from "../pack-files-exports.ts";
import type { PackProblem } from "../reading/read-pack-directory.ts";
import { readYamlObject } from "../reading/read-yaml.ts";

/** Section names in override files, by the kind that they override. */
const sections: Readonly<Partial<Record<PackKind, string>>> = {
	sensor: "sensors",
	action: "actions",
	rule: "rules",
	action_alias: "aliases",
};

const fileAttributes = Object.fromEntries(Object.values(sections).map((section) => [section, object]));
const globalAttributes: Readonly<Record<string, Attribute>> = { defaults: object };
const packAttributes: Readonly<Record<string, Attribute>> = { defaults: object, exceptions: object };
const onlyEnabled: Readonly<Record<string, Attribute>> = { enabled: { ...flag, required: true } };

const enabledOnly: JsonObject = toObjectSchema(onlyEnabled, true);
const section: JsonObject = {
	type: ["object", "null"],
	properties: {
		defaults: { anyOf: [enabledOnly, { type: "null" }] },
		exceptions: { type: ["object", "null"], additionalProperties: enabledOnly },
	},
	additionalProperties: false,
};

/** JSON schema of override files, for editors. */
export const overridesSchema: JsonObject = {
	$schema: "http://json-schema.org/draft-07/schema#",
	title: "Overrides of a pack",
	type: "object",
	properties: Object.fromEntries(Object.values(sections).map((name) => [name, section])),
	additionalProperties: false,
};

/** File name, without extension, of the overrides for all packs. It is reserved: a pack with this ref would use the same file. */
const globalName = "_global";

/**
 * Overrides of `enabled` by operators, from the files of a directory: `_global.yaml` for all packs and `<pack>.yaml` for one pack.
 * Precedence: exceptions of the pack, then its defaults, then the global defaults. Each file is read once for each registration.
 */
export class PackOverrides {
	readonly #directories: readonly string[];
	readonly #files = new Map<string, Promise<JsonObject>>();
	readonly #skip: (problem: PackProblem) => void;

	/**
	 * @param directories searched in this order; the first directory with the file is used
	 * @param skip called once for each invalid file
	 */
	constructor(directories: readonly string[], skip: (problem: PackProblem) => void) {
		this.#directories = directories;
		this.#skip = skip;
	}

	/** Returns the overridden value, or undefined if there is no override. */
	async enabled(kind: PackKind, pack: string, name: string): Promise<boolean | undefined> {
		const section = sections[kind];
		if (section === undefined) return undefined;
		const [own, all] = [await this.#file(pack), await this.#file(globalName)];
		const exceptions = member(member(own, section), "exceptions");
		const exception = Object.hasOwn(exceptions, name) ? member(exceptions, name) : {};
		return [exception, member(member(own, section), "defaults"), member(member(all, section), "defaults")]
			.map(({ enabled }) => enabled)
			.find((enabled) => typeof enabled === "boolean");
	}

	#file(name: string): Promise<JsonObject> {
		const known = this.#files.get(name) ?? this.#read(name);
		this.#files.set(name, known);
		return known;
	}

	async #read(name: string): Promise<JsonObject> {
		for (const directory of this.#directories) {
			const file = join(directory, `${name}.yaml`);
			if (!(await exists(file))) continue;
			try {
				return checkOverrides(await readYamlObject(file), name === globalName ? globalAttributes : packAttributes);
			} catch (error) {
				this.#skip({ file, message: toErrorMessage(error) });
				return {};
			}
		}
		return {};
	}
}

/** Returns the configured directory of overrides, or by default the folder `overrides` in each pack directory. */
export function toOverrideDirectories(configured: string, packs: readonly string[]): readonly string[] {
	return configured === "" ? packs.map((directory) => join(directory, "overrides")) : [configured];
}

/** Returns the content of an override file after checking it. Throws `SVC_INVALID`, which names the member and the allowed values. */
export function checkOverrides(content: JsonObject, attributes: Readonly<Record<string, Attribute>> = packAttributes): JsonObject {
	checkAttributes(content, fileAttributes, true);
	for (const [section, given] of Object.entries(content)) {
		within(section, () => checkAttributes((given ?? {}) as JsonObject, attributes, true));
		const { defaults, exceptions } = (given ?? {}) as JsonObject;
		if (isJsonObject(defaults)) within(`${section}, defaults`, () => checkAttributes(defaults, onlyEnabled, true));
		for (const [name, exception] of Object.entries((exceptions ?? {}) as JsonObject)) {
			within(`${section}, exceptions, ${name}`, () => {
				if (!isJsonObject(exception)) throw new SvcError("SVC_INVALID", "must be an object with the member enabled");
				checkAttributes(exception, onlyEnabled, true);
			});
		}
	}
	return content;
}

function within(place: string, look: () => void): void {
	try {
		look();
	} catch (error) {
		throw new SvcError("SVC_INVALID", `${place}: ${toErrorMessage(error)}; only "enabled" can be overridden`, { cause: error });
	}
}

function member(value: JsonObject, name: string): JsonObject {
	const found = Object.hasOwn(value, name) ? value[name] : undefined;
	return isJsonObject(found) ? found : {};
}

function exists(file: string): Promise<boolean> {
	return access(file).then(
		() => true,
		() => false,
	);
}
