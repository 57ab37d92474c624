import { basename, isAbsolute, join } from "node:path";
import { type Logger, type PackEntity, SvcError, toErrorMessage } from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import type { Kernel } from "../../../kernel/kernel.ts";
import type { PackActivator } from "../activation/pack-activation.ts";
import { findPackDirectories } from "../reading/find-pack-directories.ts";
import { assertPlatform, toPack } from "../reading/manifest.ts";
import { readYamlObject } from "../reading/read-yaml.ts";
import type { PackRegister, RegisterCounts, RegisterInput } from "../register-exports.ts";
import type { PackVersion } from "./chosen-packs.ts";
import { RegistrationKinds } from "./registration-kinds.ts";

export interface PackRegisteringDependencies extends Uses<"storage" | "logger" | "dialects">, Pick<Kernel, "catalog"> {
	/** Directories of the configuration. */
	readonly directories: readonly string[];
	readonly switch: PackActivator;
}

interface LocalPacks {
	readonly byRef: ReadonlyMap<string, string>;
	/** Errors of directories whose manifest cannot be read, by directory. */
	readonly broken: ReadonlyMap<string, string>;
}

/** Registers packs again while the service runs. */
export class PackReload implements PackRegister {
	readonly #parts: PackRegisteringDependencies;

	constructor(parts: PackRegisteringDependencies) {
		this.#parts = parts;
	}

	async register(input: RegisterInput, principal: Principal): Promise<RegisterCounts> {
		const { storage, logger } = this.#parts;
		const { packs, types, fail_on_failure: failOnFailure = true } = input;
		const words = new RegistrationKinds(types);
		const local = await this.#resolveLocalSource();
		const stored = new Map((await storage.find("pack", {})).map((pack) => [pack.ref, pack]));
		if (packs === undefined) refuseBroken(local, failOnFailure, logger);
		const refs = packs ?? [...new Set([...local.byRef.keys(), ...[...stored.values()].filter(isInstalled).map(({ ref }) => ref)])];
		const versions: PackVersion[] = [];
		for (const ref of new Set(refs)) versions.push(...(await this.#toVersion(ref, { local, known: stored.get(ref) })));
		// Keep records that no longer have a file: they are removed with the pack, or by its next version.
		const options = { kinds: words.kinds, failOnFailure, isStrict: true, removeGone: false, principal };
		const { report, problems, notes } = await this.#parts.switch.apply(versions, options);
		for (const problem of problems) logger.warn("pack content was skipped", { problem });
		for (const problem of notes) logger.warn("pack was registered, but some steps failed", { problem });
		const counts = words.count(report, { runners: await storage.count("runner_type", {}) });
		logger.info("packs registered", { packs: versions.map(({ pack }) => pack), types: types ?? "all", user: principal.username, counts });
		return counts;
	}

	async #resolveLocalSource(): Promise<LocalPacks> {
		const byRef = new Map<string, string>();
		const broken = new Map<string, string>();
		for (const directory of this.#parts.directories) {
			for (const path of await findPackDirectories(directory)) {
				try {
					const { ref } = await this.#readManifest(path);
					if (!byRef.has(ref)) byRef.set(ref, path);
				} catch (error) {
					broken.set(path, toErrorMessage(error));
				}
			}
		}
		return { byRef, broken };
	}

	async #readManifest(directory: string) {
		const manifest = this.#parts.dialects.translate("pack", await readYamlObject(join(directory, "pack.yaml")));
		assertPlatform(manifest);
		return toPack(manifest, directory);
	}

	/** Returns the version to register, or none for built-in packs, which have no files. */
	async #toVersion(
		ref: string,
		{ local, known }: { readonly local: LocalPacks; readonly known: PackEntity | undefined },
	): Promise<readonly PackVersion[]> {
		const directory = local.byRef.get(ref);
		if (known !== undefined && known.path === null && known.content === null) return [];
		if (directory !== undefined) return [{ pack: ref, directory, content: null, source: null, installation: null, earlier: null }];
		if (known !== undefined && isInstalled(known)) {
			const { content, source, installation, earlier } = known;
			const laidOut = (await this.#parts.catalog.packDirectory(ref, content)) ?? "";
			return [{ pack: ref, directory: laidOut, content, source, installation, earlier, expected: content }];
		}
		if (known?.path != null) return [await this.#toKnownDirectory(known.path, ref)];
		const [path, why] = [...local.broken].find(([broken]) => broken.endsWith(`/${ref}`)) ?? [];
		if (path !== undefined) throw new SvcError("SVC_INVALID", `pack "${ref}": pack.yaml: ${why}`);
		throw new SvcError("SVC_INVALID", `packs: pack "${ref}" is neither installed nor in a pack directory of this node`);
	}

	/**
	 * Returns the version in a directory that another node, or an earlier start, was configured with. Throws `SVC_INVALID` if this node
	 * does not have the directory.
	 */
	async #toKnownDirectory(directory: string, ref: string): Promise<PackVersion> {
		const isHere = isAbsolute(directory) && (await this.#readManifest(directory).catch(() => undefined)) !== undefined;
		if (isHere) return { pack: ref, directory, content: null, source: null, installation: null, earlier: null };
		throw new SvcError("SVC_INVALID", `packs: the directory of pack "${ref}" is not on this node; send the request to a node that has it`);
	}
}

function isInstalled({ content }: PackEntity): boolean {
	return content !== null;
}

function refuseBroken({ broken }: LocalPacks, failOnFailure: boolean, logger: Logger): void {
	for (const [directory, message] of broken) {
		const problem = { file: join(directory, "pack.yaml"), message };
		if (failOnFailure) throw new SvcError("SVC_INVALID", `${basename(directory)}/pack.yaml: ${message}`);
		logger.warn("pack content was skipped", { problem });
	}
}
