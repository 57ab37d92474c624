import {
	type ActionEntity,
	type Clock,
	isSvcError,
	type Logger,
	type PackEntity,
	type Storage,
	toErrorMessage,
} from "../../contract/index.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { insertOnce } from "../../kernel/basics/insert-once.ts";
import type { Catalog } from "../../kernel/executions/catalog.ts";
import type { Dialects } from "../../language/dialects.ts";
import { checkParameterDefinitions } from "../../language/parameters/check-definitions.ts";
import { corePack } from "./core-pack.ts";
import { findPackDirectories } from "./find-pack-directories.ts";
import { notInstalled } from "./not-installed.ts";
import { type PackContent, readPackDirectory } from "./read-pack-directory.ts";

/** Home of actions that are created without naming a pack. */
const defaultPack: PackContent = {
	pack: {
		ref: "default",
		name: "default",
		description: "Actions created without a pack.",
		version: "1.0.0",
		author: "svc",
		path: null,
		metadata: {},
		...notInstalled,
	},
	actions: [],
	problems: [],
};

interface Parts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly catalog: Catalog;
	readonly dialects: Dialects;
}

export interface RegisteredPack {
	readonly ref: string;
	/** Its directory, absolute. */
	readonly path: string;
}

/**
 * Register the built-in pack and the packs found in `directories`: each resource is created or updated by its ref. A bad file
 * is logged and skipped, the rest goes on. Of packs with the same ref the first wins. Returns those that have a directory.
 */
export async function registerPacks(parts: Parts, directories: readonly string[]): Promise<readonly RegisteredPack[]> {
	const seen = new Set<string>();
	const found: RegisteredPack[] = [];
	const register = async (content: PackContent) => {
		for (const problem of content.problems) parts.logger.warn("pack content was skipped", { problem });
		if (content.pack === undefined) return;
		if (seen.has(content.pack.ref)) {
			parts.logger.warn("pack was skipped: its ref is taken by an earlier one", { pack: content.pack.ref, path: content.pack.path });
			return;
		}
		seen.add(content.pack.ref);
		await registerPack(parts, content.pack, content.actions);
		if (content.pack.path !== null) found.push({ ref: content.pack.ref, path: content.pack.path });
	};
	await register(corePack);
	await register(defaultPack);
	for (const directory of directories) {
		for (const path of await findPackDirectories(directory)) await register(await readPackDirectory(path, parts.dialects));
	}
	parts.catalog.invalidate();
	return found;
}

async function registerPack(
	{ storage, clock, logger }: Parts,
	pack: Omit<PackEntity, "id">,
	actions: readonly Omit<ActionEntity, "id">[],
): Promise<void> {
	const [known] = await storage.find("pack", { where: { ref: pack.ref }, limit: 1 });
	if (known !== undefined) await storage.update("pack", known.id, pack);
	else await insertOnce(() => storage.insert("pack", [{ id: createId(clock), ...pack }]));
	const stored = new Map((await storage.find("action", { where: { pack: pack.ref } })).map((action) => [action.ref, action]));
	const runnerTypes = new Map((await storage.find("runner_type", {})).map((type) => [type.name, type]));
	let count = 0;
	for (const action of actions) {
		const runnerType = runnerTypes.get(action.runner_type);
		if (runnerType === undefined) {
			// The built-in pack serves every composition; an author's pack that names a missing runner is a mistake.
			const level = pack.path === null ? "debug" : "warn";
			logger[level]("action was skipped: its runner type is not configured", { action: action.ref, runner_type: action.runner_type });
			continue;
		}
		try {
			checkParameterDefinitions(action.parameters, runnerType.runner_parameters);
			await registerAction(storage, clock, stored.get(action.ref), action);
			count += 1;
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.warn("action was skipped", { action: action.ref, file: action.metadata_file, problem: toErrorMessage(error) });
		}
	}
	logger.info("pack registered", { pack: pack.ref, actions: count });
}

async function registerAction(
	storage: Storage,
	clock: Clock,
	known: ActionEntity | undefined,
	action: Omit<ActionEntity, "id">,
): Promise<void> {
	if (known === undefined) {
		return insertOnce(() => storage.insert("action", [{ id: createId(clock), ...action }]));
	}
	const { id, ...fields } = known;
	if (JSON.stringify(fields) !== JSON.stringify({ ...fields, ...action })) await storage.update("action", id, action);
}
