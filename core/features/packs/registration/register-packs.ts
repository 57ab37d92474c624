import { join, relative } from "node:path";
import type { PackEntity } from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { createId } from "../../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../../kernel/basics/insert-if-absent.ts";
import type { ExtensionPoints } from "../../../kernel/extension-points.ts";
import type { Kernel } from "../../../kernel/kernel.ts";
import { corePack } from "../built-in/core-pack.ts";
import type { PackDirectory } from "../packs-exports.ts";
import { findPackDirectories } from "../reading/find-pack-directories.ts";
import { type ParsedPack, readPackDirectory } from "../reading/read-pack-directory.ts";
import type { ChosenPacks, PackVersion } from "./chosen-packs.ts";
import { notInstalled } from "./not-installed.ts";
import type { PackOverrides } from "./overrides.ts";
import { registerActions } from "./register-actions.ts";
import type { RegistrationReport } from "./registration-report.ts";

/** Pack of actions that are created without naming a pack. */
const defaultPack: ParsedPack = {
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

export interface RegisterPacksDependencies extends Uses<"storage" | "clock" | "logger" | "dialects">, Pick<Kernel, "catalog"> {
	readonly overrides: PackOverrides;
	readonly extensions: Pick<ExtensionPoints, "isBuiltInRunner">;
	/** Packs that other features bring. */
	readonly builtInPacks: readonly ParsedPack[];
}

/**
 * Registers the built-in packs and the packs found in `directories`; each resource is created or updated by its ref. Invalid files are
 * reported and skipped. If several packs have the same ref, the first is used. Returns the packs that have a directory.
 */
export async function registerPacks(
	parts: RegisterPacksDependencies,
	directories: readonly string[],
	report: RegistrationReport,
): Promise<readonly PackDirectory[]> {
	const seen = new Set<string>();
	const found: PackDirectory[] = [];
	const register = async (content: ParsedPack) => {
		for (const problem of content.problems) report.skip(problem);
		if (content.pack === undefined) return;
		if (seen.has(content.pack.ref)) {
			parts.logger.warn("pack was skipped: an earlier pack has the same ref", { pack: content.pack.ref, path: content.pack.path });
			return;
		}
		seen.add(content.pack.ref);
		await registerPack(parts, content, { report, directory: content.pack.path ?? undefined });
		if (content.pack.path !== null) found.push({ ref: content.pack.ref, path: content.pack.path, content: null });
	};
	await register(corePack);
	await register(defaultPack);
	for (const pack of parts.builtInPacks) await register(pack);
	for (const directory of directories) {
		for (const path of await findPackDirectories(directory)) await register(await readPackDirectory(path, parts.dialects));
	}
	parts.catalog.invalidate();
	return found;
}

/** Registers only the given versions of packs. Returns their directories. */
export async function registerChosen(
	parts: RegisterPacksDependencies,
	{ versions, kinds, report }: ChosenPacks,
): Promise<readonly PackDirectory[]> {
	const found: PackDirectory[] = [];
	for (const version of versions) {
		const how = { ref: version.pack, isInstalled: version.content !== null };
		const { pack, actions, problems } = await readPackDirectory(version.directory, parts.dialects, how);
		const isActions = kinds === undefined || kinds.has("action");
		for (const problem of problems) if (isActions || !isOfActions(version, problem.file)) report.skip(problem);
		if (pack === undefined) continue;
		const content = { pack: asInstalled(pack, version), actions: isActions ? actions : [], problems };
		await registerPack(parts, content, { report, directory: version.directory });
		found.push({ ref: version.pack, path: version.directory, content: version.content });
	}
	return found;
}

function isOfActions({ directory }: PackVersion, file: string): boolean {
	return relative(directory, file).startsWith(join("actions", "/"));
}

function asInstalled(
	pack: Omit<PackEntity, "id">,
	{ directory, content, source, installation, earlier }: PackVersion,
): Omit<PackEntity, "id"> {
	return { ...pack, path: content === null ? directory : null, content, source, installation, earlier };
}

/** @param directory directory with the files of the pack; undefined if it has none */
async function registerPack(
	parts: RegisterPacksDependencies,
	content: ParsedPack,
	{ report, directory }: { readonly report: RegistrationReport; readonly directory: string | undefined },
): Promise<void> {
	const { storage, clock, logger } = parts;
	const { pack, actions } = content;
	if (pack === undefined) return;
	const [known] = await storage.find("pack", { where: { ref: pack.ref }, limit: 1 });
	const isTakenOver = pack.path !== null && known !== undefined && (known.content !== null || known.installation !== null);
	// Keep `installation` as a marker until the other records of the installed pack are removed; a start may be killed before that.
	const mark = isTakenOver ? { installation: known.installation ?? {} } : {};
	const registered = { ...pack, ...mark, registration: createId(clock) };
	if (known === undefined) await insertIfAbsent(() => storage.insert("pack", [{ id: createId(clock), ...registered }]));
	else {
		if (isTakenOver) {
			logger.warn("a directory of the configuration replaces the installed pack of the same name", { pack: pack.ref, path: pack.path });
			report.takenOver.push({ pack: pack.ref, directory: directory ?? "" });
		}
		await storage.update("pack", known.id, registered);
	}
	const count = await registerActions({ ...parts, report, directory }, pack, actions);
	logger.info("pack registered", { pack: pack.ref, actions: count });
}
