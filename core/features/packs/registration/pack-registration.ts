import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isSvcError, toErrorMessage } from "../../../contract/index.ts";
import type { AssertPermitted } from "../../../kernel/basics/permission-types.ts";
import type { Kernel } from "../../../kernel/kernel.ts";
import type { Access } from "../../access/access-exports.ts";
import { assertRequired } from "../../access/required-permissions-exports.ts";
import type { StoredPackConfigs } from "../configs/pack-configs.ts";
import type { FileReader } from "../file-reader-exports.ts";
import type { PackFileKind } from "../pack-files-exports.ts";
import type { PackDirectory } from "../packs-exports.ts";
import { PackOverrides, toOverrideDirectories } from "./overrides.ts";
import { registerFiles } from "./register-files.ts";
import { type RegisterPacksDependencies, registerChosen, registerPacks } from "./register-packs.ts";
import { RegistrationReport } from "./registration-report.ts";
import { removeGone } from "./remove-records.ts";

export interface PackRegistrationDependencies extends Omit<RegisterPacksDependencies, "overrides">, Pick<Kernel, "dependencies"> {
	readonly packConfigs: StoredPackConfigs;
	readonly access: Pick<Access, "allows" | "assert">;
	/** Readers for the files of all kinds. */
	readonly readers: readonly FileReader[];
}

/** Folders of the metadata files of a pack. */
const contentFolders: readonly string[] = ["actions", "sensors", "rules", "triggers", "policies", "aliases"];

/** Updates the records of packs to match their files: of all packs at startup, and of chosen packs in a dry run. */
export class PackRegistration {
	readonly #parts: PackRegistrationDependencies;
	#report: RegistrationReport;
	#overrides: PackOverrides;
	#found: readonly PackDirectory[] = [];

	constructor(parts: PackRegistrationDependencies) {
		this.#parts = parts;
		this.#report = new RegistrationReport(parts);
		this.#overrides = this.#toOverrides();
	}

	/** Registers the packs and their actions. Other features register the rest of the content later. */
	async register(): Promise<void> {
		const { dependencies, packConfigs, logger } = this.#parts;
		const { chosenPacks } = dependencies;
		this.#report = chosenPacks?.report ?? new RegistrationReport({ logger });
		this.#overrides = this.#toOverrides();
		const parts = { ...this.#parts, overrides: this.#overrides };
		if (chosenPacks === undefined) {
			this.#found = await registerPacks(parts, dependencies.packs, this.#report);
			for (const pack of this.#found) await this.#warnOfUnreadFolders(pack);
			await packConfigs.check();
			return;
		}
		this.#found = await registerChosen(parts, chosenPacks);
		if (chosenPacks.kinds?.has("config") !== false) await this.#checkConfigs();
	}

	/** Warns of folders of a pack whose files belong to a feature that this service does not have. */
	async #warnOfUnreadFolders({ ref, path }: PackDirectory): Promise<void> {
		const { readers, logger } = this.#parts;
		const unread = contentFolders.filter((folder) => !readers.some((reader) => reader.folder === folder));
		const present = (await readdir(path).catch(() => [])).filter((name) => unread.includes(name));
		const hint = "add the feature that reads them to features";
		for (const folder of present) logger.warn("files of a pack are not read", { pack: ref, folder, hint });
	}

	#toOverrides(): PackOverrides {
		const { options, packs } = this.#parts.dependencies;
		const report = this.#report;
		return new PackOverrides(toOverrideDirectories(options.content.overrides, packs), (problem) => report.skip(problem));
	}

	/**
	 * Removes records of installed packs that a configured directory has replaced, if the directory has no file for them. Call it after all
	 * features have registered their files.
	 */
	async removeReplaced(): Promise<void> {
		const { storage } = this.#parts;
		const { takenOver } = this.#report;
		if (takenOver.length === 0) return;
		await removeGone(storage, this.#report, takenOver);
		for (const { pack } of takenOver) {
			const [known] = await storage.find("pack", { where: { ref: pack, content: null }, limit: 1 });
			if (known !== undefined) await storage.update("pack", known.id, { installation: null });
		}
	}

	/**
	 * Checks configuration schemas and values. Startup and installation register a pack despite invalid values, because operators can
	 * correct them only once the pack exists.
	 */
	async #checkConfigs(): Promise<void> {
		const { packConfigs } = this.#parts;
		for (const { ref, path } of this.#found) {
			const file = join(path, "config.schema.yaml");
			try {
				for (const message of await packConfigs.checkSchema(path)) this.#report.note({ file, message });
			} catch (error) {
				this.#report.skip({ file, message: toFileMessage(error) });
				continue;
			}
			try {
				await packConfigs.checkValues(ref, path);
				this.#report.configs += 1;
			} catch (error) {
				const problem = { file, message: toFileMessage(error) };
				// If the pack has no values yet, missing required values are only a note.
				if (await packConfigs.hasValues(ref)) this.#report.skipHere(problem);
				else this.#report.note(problem);
			}
		}
	}

	async registerFiles<Input extends { readonly name: string }>(files: PackFileKind<Input>): Promise<void> {
		const { dependencies, dialects, access } = this.#parts;
		const { chosenPacks } = dependencies;
		const principal = chosenPacks?.principal;
		const assertPermitted: AssertPermitted = (required) => {
			if (principal !== undefined) assertRequired(access, principal, required);
		};
		this.#report.removals.set(files.kind, (ref) => files.remove(ref));
		if (files.typeCount !== undefined) this.#report.typeCounts.set(files.kind, files.typeCount);
		if (chosenPacks?.kinds?.has(files.kind) === false) return;
		const isShared = chosenPacks === undefined;
		const [packs, report, overrides] = [this.#found, this.#report, this.#overrides];
		await registerFiles({ packs, report, dialects, overrides, isShared, assertPermitted }, files);
	}
}

/** Returns the message without the leading absolute path, which must not be disclosed to API clients. */
function toFileMessage(error: unknown): string {
	const message = toErrorMessage(error);
	return isSvcError(error) && message.startsWith("/") ? toErrorMessage(error.cause) : message;
}
