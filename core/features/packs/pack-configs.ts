import { join } from "node:path";
import type { JsonObject, Logger, ParameterSchema, Storage } from "../../contract/index.ts";
import { SvcError, toErrorMessage } from "../../contract/index.ts";
import { toStableId } from "../../kernel/basics/ids.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { KnownSecrets } from "../../kernel/secrets/known-secrets.ts";
import { noteDecrypted } from "../../kernel/secrets/note-decrypted.ts";
import { roomInTurn } from "../../language/loop-turn.ts";
import { checkParameterDefinitions } from "../../language/parameters/check-definitions.ts";
import { collectSecrets, maskBySchema, restoreMasked } from "../../language/parameters/mask.ts";
import { asOneWork } from "../../language/work-budget.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import { checkConfigValues } from "./check-values.ts";
import { createConfigFiles } from "./config-files.ts";
import { withConfigDefaults } from "./defaults.ts";
import type { PackConfig, PackConfigs, ResolvedPackConfig } from "./pack-configs-api.ts";
import { renderConfigValues } from "./render-values.ts";

export interface PackConfigParts {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly datastore: Pick<DatastoreItems, "accessFor" | "clearAccessFor">;
	/** Directory of a pack; undefined when it has none. */
	readonly packDirectory: (pack: string) => Promise<string | undefined>;
	/** Directory of the files of values. */
	readonly directory: string;
}

const nothing: ResolvedPackConfig = { values: {}, masked: {}, secrets: [] };

/** Schemas are the same objects for every execution of an action. */
const mentions = new WeakMap<object, boolean>();

export function createPackConfigs({ storage, logger, datastore, packDirectory, directory }: PackConfigParts): PackConfigs {
	const files = createConfigFiles();
	const fileOf = (pack: string) => join(directory, `${pack}.yaml`);
	const readValues = (pack: string) => files.read(fileOf(pack), (content) => content);

	async function readSchema(pack: string): Promise<ParameterSchema | undefined> {
		const path = await packDirectory(pack);
		return path === undefined ? undefined : files.read(join(path, "config.schema.yaml"), (content) => checkParameterDefinitions(content));
	}

	/** The names of all packs, which are safe to make file names of. `SVC_NOT_FOUND` for any other. */
	async function assertPack(pack: string): Promise<void> {
		const [found] = await storage.find("pack", { where: { ref: pack }, fields: ["ref"], limit: 1 });
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack}" cannot be found`);
	}

	async function packRefs(): Promise<readonly string[]> {
		return (await storage.find("pack", { fields: ["ref"], orderBy: [["ref", "asc"]] })).map(({ ref }) => ref);
	}

	async function toConfig(pack: string): Promise<PackConfig | undefined> {
		const values = await readValues(pack);
		return values === undefined ? undefined : { id: toStableId(`config:${pack}`), pack, values, schema: (await readSchema(pack)) ?? {} };
	}

	async function toSchemaRecord(pack: string) {
		const attributes = await readSchema(pack);
		return attributes === undefined ? undefined : { id: toStableId(`config_schema:${pack}`), pack, attributes };
	}

	/** What there is for each pack; what is wrong with one file does not hide the others. */
	async function collect<T>(read: (pack: string) => Promise<T | undefined>): Promise<readonly T[]> {
		const found: T[] = [];
		for (const pack of await packRefs()) {
			try {
				const record = await read(pack);
				if (record !== undefined) found.push(record);
			} catch (error) {
				logger.warn("pack configuration was left out", { pack, problem: toErrorMessage(error) });
			}
		}
		return found;
	}

	async function resolve(pack: string, username: string): Promise<ResolvedPackConfig> {
		const [given, schema] = [await readValues(pack), await readSchema(pack)];
		if (given === undefined && schema === undefined) return nothing;
		const filled = withConfigDefaults(given ?? {}, schema ?? {});
		const decrypted: string[] = [];
		const access = {
			plain: noteDecrypted(datastore.accessFor(username), decrypted),
			clear: noteDecrypted(datastore.clearAccessFor(username, "pack configuration"), decrypted),
		};
		const values = await renderConfigValues(pack, { values: filled, schema: schema ?? {} }, access).catch((error: unknown) => {
			throw new KnownSecrets(decrypted).error(error);
		});
		return {
			values,
			masked: maskBySchema(values, schema ?? {}),
			secrets: [...new Set([...collectSecrets(values, schema ?? {}), ...decrypted])],
		};
	}

	return {
		resolve,
		async forTemplates(pack, username, sources) {
			return sources.some(mentionsConfig) ? resolve(pack, username) : nothing;
		},
		list: () => collect(toConfig),
		schemas: () => collect(toSchemaRecord),
		async get(pack) {
			await assertPack(pack);
			const config = await toConfig(pack);
			if (config === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack}" has no configuration`);
			return config;
		},
		async schema(pack) {
			await assertPack(pack);
			const record = await toSchemaRecord(pack);
			if (record === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack}" has no config.schema.yaml`);
			return record;
		},
		async set(pack, given, { username }: Principal) {
			await assertPack(pack);
			const schema = (await readSchema(pack)) ?? {};
			const kept = (await readValues(pack).catch(() => undefined)) ?? {};
			await roomInTurn();
			const values = restoreMasked(given, maskBySchema(kept, schema), kept) as JsonObject;
			asOneWork(() => checkConfigValues(pack, values, schema));
			await files.write(fileOf(pack), values);
			logger.info("pack configuration saved", { pack, user: username });
			return { id: toStableId(`config:${pack}`), pack, values, schema };
		},
		async check() {
			for (const pack of await packRefs()) {
				try {
					const [values, schema] = [await readValues(pack), (await readSchema(pack)) ?? {}];
					if (values !== undefined) checkConfigValues(pack, values, schema);
				} catch (error) {
					logger.warn("pack configuration cannot be used as it is", { pack, problem: toErrorMessage(error) });
				}
			}
		},
	};
}

function mentionsConfig(source: object): boolean {
	let isMentioned = mentions.get(source);
	if (isMentioned === undefined) {
		isMentioned = JSON.stringify(source).includes("config_context");
		mentions.set(source, isMentioned);
	}
	return isMentioned;
}
