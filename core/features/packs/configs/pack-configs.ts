import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
	isSvcError,
	type JsonObject,
	type JsonValue,
	type Options,
	type ParameterDefinition,
	type ParameterDefinitions,
	SvcError,
	stringifyJson,
	toErrorMessage,
} from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { toStableId } from "../../../kernel/basics/ids.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import { waitForLoopBudget } from "../../../language/event-loop-budget.ts";
import { findDefaultProblems } from "../../../language/parameters/check-defaults.ts";
import { checkParameterDefinitions } from "../../../language/parameters/check-definitions.ts";
import { collectSecrets, maskBySchema } from "../../../language/parameters/schema-masking.ts";
import { assertValueCount } from "../../../language/parameters/value-count.ts";
import { withWorkBudget } from "../../../language/work-budget.ts";
import { addToCache } from "../../../lib/bounded-cache.ts";
import { PrivateSlot } from "../../../lib/private-slot.ts";
import { collectDecrypted } from "../../../secrets/encrypted-secrets.ts";
import { Redactor } from "../../../secrets/redactor.ts";
import { restoreMaskedValues } from "../../../secrets/restore-masked.ts";
import type { DatastoreItems } from "../../datastore/items-exports.ts";
import type { PackConfig, PackConfigSchema, PackConfigs, ResolvedPackConfig } from "../pack-configs-exports.ts";
import { parseYamlObject } from "../reading/read-yaml.ts";
import { checkConfigValues } from "./check-values.ts";
import { ConfigFiles, type ConfigWriter } from "./config-files.ts";
import { itemDefinition, mapStrings, memberDefinition } from "./map-strings.ts";
import { type RenderAccess, renderConfigValues } from "./render-values.ts";

export interface PackConfigDependencies extends Uses<"storage" | "logger" | "dialects"> {
	readonly datastore: Pick<DatastoreItems, "accessForGiven" | "clearAccessFor">;
	readonly options: Pick<Options, "system_user">;
	/** Returns the directory of a pack; undefined if it has none. */
	readonly packDirectory: (pack: string) => Promise<string | undefined>;
	/** Reads a file of pack content from the storage, without extracting the content. Throws `SVC_NOT_FOUND` if there is no such file. */
	readonly readFile: (content: string, path: string) => Promise<Buffer>;
	/** Directory of the files with configuration values. */
	readonly directory: string;
}

const schemaFile = "config.schema.yaml";
const maxSchemaSize = 500_000;
/** Maximum number of cached schemas of installed packs. */
const maxSchemas = 500;
const nothing: ResolvedPackConfig = { values: {}, masked: {}, secrets: [] };

/** Caches for each source whether it mentions `config_context`, because all executions of an action use the same schema objects. */
const mentions = new PrivateSlot<object, boolean>();

/** Reads and writes pack configurations, which are stored in files. */
export class StoredPackConfigs implements PackConfigs {
	readonly #parts: PackConfigDependencies;
	readonly #files = new ConfigFiles();
	/** Cached schemas by content hash. They need no refresh, because content does not change. */
	readonly #schemas = new Map<string, ParameterDefinitions | undefined>();

	constructor(parts: PackConfigDependencies) {
		this.#parts = parts;
	}

	async resolve(pack: string, username: string): Promise<ResolvedPackConfig> {
		const { datastore, options } = this.#parts;
		const [written, schema] = [await this.#readWritten(pack), await this.#readSchema(pack)];
		if (written === undefined && schema === undefined) return nothing;
		const { values: given = {}, writer } = written ?? {};
		const filled = fill(given, { properties: schema ?? {} }) as JsonObject;
		const decrypted: string[] = [];
		const toAccess = (rights: ConfigWriter): RenderAccess => ({
			plain: collectDecrypted(datastore.accessForGiven(username, rights), decrypted),
			clear: collectDecrypted(datastore.clearAccessFor(username, "pack configuration", rights), decrypted),
		});
		// Templates in defaults of the pack, and in files edited by hand, are rendered with the permissions of the system user.
		const site = toAccess({ author: options.system_user.user });
		const own = writer && toAccess(writer);
		const isWritten = own && toPaths(given, schema ?? {});
		const accessOf = (path: string) => (own !== undefined && isWritten?.has(path) ? own : site);
		const values = await renderConfigValues(pack, { values: filled, schema: schema ?? {} }, accessOf).catch((error: unknown) => {
			throw new Redactor(decrypted).redactError(error);
		});
		return {
			values,
			masked: maskBySchema(values, schema ?? {}),
			secrets: [...new Set([...collectSecrets(values, schema ?? {}), ...decrypted])],
		};
	}

	async forTemplates(pack: string, username: string, sources: readonly object[]): Promise<ResolvedPackConfig> {
		return sources.some(mentionsConfig) ? this.resolve(pack, username) : nothing;
	}

	list(): Promise<readonly PackConfig[]> {
		return this.#collect((pack) => this.#toConfig(pack));
	}

	schemas(): Promise<readonly PackConfigSchema[]> {
		return this.#collect((pack) => this.#toSchemaRecord(pack));
	}

	async get(pack: string): Promise<PackConfig> {
		await this.#assertPack(pack);
		const config = await this.#toConfig(pack);
		if (config === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack}" has no configuration`);
		return config;
	}

	async schema(pack: string): Promise<PackConfigSchema> {
		await this.#assertPack(pack);
		const record = await this.#toSchemaRecord(pack);
		if (record === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack}" has no config.schema.yaml`);
		return record;
	}

	async set(pack: string, given: JsonObject, principal: Principal): Promise<PackConfig> {
		await this.#assertPack(pack);
		assertValueCount(`configuration of pack "${pack}"`, given);
		const { username, author = username, scopes } = principal;
		const schema = (await this.#lookUpSchema(pack)) ?? {};
		const known = await this.#readValues(pack).catch(() => undefined);
		const stored = known ?? {};
		await waitForLoopBudget();
		const values = restoreMaskedValues(
			`configuration of pack "${pack}"`,
			given,
			{ masked: maskBySchema(stored, schema), stored },
			{ principal },
		);
		withWorkBudget(() => checkConfigValues(pack, values, schema));
		// A client that sends back the stored values has not changed anything, so it does not become the author.
		if (known === undefined || !isDeepStrictEqual(values, known))
			await this.#files.write(this.#fileOf(pack), values, { author, ...(scopes !== undefined && { scopes }) });
		this.#parts.logger.info("pack configuration saved", { pack, user: username });
		return { id: toStableId(`config:${pack}`), pack, values, schema };
	}

	/** Returns a message for each default that the schema does not allow. Throws if the schema cannot be read. */
	async checkSchema(directory: string): Promise<readonly string[]> {
		return findDefaultProblems((await this.#readSchemaIn(directory)) ?? {});
	}

	/** Returns true if there is a file with values, even one that cannot be read. */
	async hasValues(pack: string): Promise<boolean> {
		return this.#readValues(pack).then(
			(values) => values !== undefined,
			() => true,
		);
	}

	/** Throws `SVC_INVALID` if the schema does not allow the stored values of a pack, or requires values and none are stored. */
	async checkValues(pack: string, directory: string): Promise<void> {
		const [values, schema] = [await this.#readValues(pack), await this.#readSchemaIn(directory)];
		if (values !== undefined || schema !== undefined) checkConfigValues(pack, values ?? {}, schema ?? {});
	}

	async check(): Promise<void> {
		for (const pack of await this.#packRefs()) {
			try {
				const [values, schema] = [await this.#readValues(pack), await this.#lookUpSchema(pack)];
				// Check packs without a file too: their schema may require values.
				if (values !== undefined || schema !== undefined) checkConfigValues(pack, values ?? {}, schema ?? {});
			} catch (error) {
				this.#parts.logger.warn("pack configuration is invalid", { pack, problem: toErrorMessage(error) });
			}
		}
	}

	#fileOf(pack: string): string {
		return join(this.#parts.directory, `${pack}.yaml`);
	}

	#readWritten(pack: string): Promise<{ readonly values: JsonObject; readonly writer: ConfigWriter | undefined } | undefined> {
		return this.#files.read(this.#fileOf(pack), (values, writer) => ({ values, writer }));
	}

	async #readValues(pack: string): Promise<JsonObject | undefined> {
		return (await this.#readWritten(pack))?.values;
	}

	/** Returns the schema without extracting the pack: callers that only read configurations do not need its other files. */
	async #lookUpSchema(pack: string): Promise<ParameterDefinitions | undefined> {
		const [found] = await this.#parts.storage.find("pack", { where: { ref: pack }, fields: ["content", "path"], limit: 1 });
		if (typeof found?.content === "string") return this.#readStoredSchema(found.content);
		return typeof found?.path === "string" ? this.#readSchemaIn(found.path) : undefined;
	}

	async #readStoredSchema(content: string): Promise<ParameterDefinitions | undefined> {
		if (!this.#schemas.has(content)) {
			const file = await this.#parts.readFile(content, schemaFile).catch((error: unknown) => {
				if (isSvcError(error, "SVC_NOT_FOUND")) return undefined;
				throw error;
			});
			if (file !== undefined && file.length > maxSchemaSize)
				throw new SvcError("SVC_INVALID", `${schemaFile}: must be at most ${maxSchemaSize} bytes, got ${file.length}`);
			addToCache(this.#schemas, content, file && this.#toSchema(parseYamlObject(file.toString("utf8"))), maxSchemas);
		}
		return this.#schemas.get(content);
	}

	/** Returns the schema from the extracted pack, because a run needs the other files too. */
	async #readSchema(pack: string): Promise<ParameterDefinitions | undefined> {
		const path = await this.#parts.packDirectory(pack);
		return path === undefined ? undefined : this.#readSchemaIn(path);
	}

	#readSchemaIn(directory: string): Promise<ParameterDefinitions | undefined> {
		return this.#files.read(join(directory, schemaFile), (content) => this.#toSchema(content));
	}

	#toSchema(content: JsonObject): ParameterDefinitions {
		return checkParameterDefinitions(this.#parts.dialects.translate("config_schema", content));
	}

	/** Throws `SVC_NOT_FOUND` if the pack does not exist. Refs of existing packs are safe as file names. */
	async #assertPack(pack: string): Promise<void> {
		const [found] = await this.#parts.storage.find("pack", { where: { ref: pack }, fields: ["ref"], limit: 1 });
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack}" cannot be found`);
	}

	async #packRefs(): Promise<readonly string[]> {
		return (await this.#parts.storage.find("pack", { fields: ["ref"], orderBy: [["ref", "asc"]] })).map(({ ref }) => ref);
	}

	async #toConfig(pack: string): Promise<PackConfig | undefined> {
		const values = await this.#readValues(pack);
		if (values === undefined) return undefined;
		return { id: toStableId(`config:${pack}`), pack, values, schema: (await this.#lookUpSchema(pack)) ?? {} };
	}

	async #toSchemaRecord(pack: string): Promise<PackConfigSchema | undefined> {
		const attributes = await this.#lookUpSchema(pack);
		return attributes === undefined ? undefined : { id: toStableId(`config_schema:${pack}`), pack, attributes };
	}

	/** Returns a record for each pack that has one. If a file cannot be used, only the record of its pack is left out. */
	async #collect<T>(read: (pack: string) => Promise<T | undefined>): Promise<readonly T[]> {
		const found: T[] = [];
		for (const pack of await this.#packRefs()) {
			try {
				const record = await read(pack);
				if (record !== undefined) found.push(record);
			} catch (error) {
				this.#parts.logger.warn("pack configuration was skipped", { pack, problem: toErrorMessage(error) });
			}
		}
		return found;
	}
}

function toPaths(values: JsonObject, schema: ParameterDefinitions): ReadonlySet<string> {
	const paths = new Set<string>();
	mapStrings(values, schema, ({ text, path }) => {
		paths.add(path);
		return text;
	});
	return paths;
}

function mentionsConfig(source: object): boolean {
	let isMentioned = mentions.get(source);
	if (isMentioned === undefined) {
		isMentioned = stringifyJson(source).includes("config_context");
		mentions.set(source, isMentioned);
	}
	return isMentioned;
}

/**
 * Returns a value with defaults for missing members, at every level. A missing object whose members are described becomes an object with
 * their defaults. A missing list whose elements are described becomes an empty list.
 */
function fill(value: JsonValue | undefined, definition: ParameterDefinition | undefined): JsonValue | undefined {
	const start = value ?? definition?.default ?? toEmpty(definition) ?? value;
	if (Array.isArray(start)) {
		const items = start as readonly JsonValue[];
		return items.map((item, index) => fill(item, itemDefinition(definition, index)) ?? null);
	}
	if (typeof start !== "object" || start === null) return start;
	const given = start as JsonObject;
	const names = new Set([...Object.keys(given), ...Object.keys(definition?.properties ?? {})]);
	const members = [...names].map((name) => {
		const own = Object.hasOwn(given, name) ? given[name] : undefined;
		return [name, fill(own, memberDefinition(definition, name))] as const;
	});
	return Object.fromEntries(members.filter((member): member is readonly [string, JsonValue] => member[1] !== undefined));
}

function toEmpty(definition: ParameterDefinition | undefined): JsonValue | undefined {
	if (definition?.properties !== undefined) return {};
	return definition?.items === undefined ? undefined : [];
}
