import { type GitPack, type SvcConfig, toErrorMessage } from "../../core/contract/index.ts";
import { defineFeature, type HttpFeature, type Kernel, type NamedFeatures, toSourceText } from "../../core/feature.ts";
import type { PackInstallerApi } from "./api.ts";
import { type FollowedPackEntity, followedPackKind } from "./entities.ts";
import { packIndexRoutes } from "./index-routes.ts";
import { createPackJobs } from "./install/pack-jobs.ts";
import { packsPack } from "./install/packs-pack.ts";
import { packInstallRoutes } from "./routes.ts";
import { PackFetcher } from "./sources/pack-fetcher.ts";
import { PackIndex } from "./sources/pack-index.ts";
import { parsePackRequest } from "./sources/parse-request.ts";
import { toSourceSettings } from "./sources/source-settings.ts";
import { redactAddress } from "./sources/url-credentials.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		followed_pack: FollowedPackEntity;
	}
}

const kinds = { followed_pack: followedPackKind };

export type { PackInstallerApi } from "./api.ts";
export type { FollowedPackEntity } from "./entities.ts";

/** Installs packs from indexes, git repositories, archives and directories, and follows packs in git. */
export const packInstaller = () =>
	defineFeature({
		name: "packInstaller",
		kinds,
		requires: ["access", "packs"],
		packs: [packsPack],
		findProblems: findFollowedProblems,
		create: createPackInstaller,
	});

function createPackInstaller(kernel: Kernel, { access, packs }: Pick<NamedFeatures, "access" | "packs">): HttpFeature<PackInstallerApi> {
	const settings = toSourceSettings(kernel.options);
	const packIndex = new PackIndex({ settings, logger: kernel.logger });
	const sources = new PackFetcher({ settings, index: packIndex, logger: kernel.logger.withTag("packs") });
	const { packConfigs, packRegister } = packs.api;
	const { runners, installs, following } = createPackJobs(kernel, {
		...{ access: access.api.access, index: packIndex, sources, packConfigs, packRegister },
		contents: packs.contents,
		switch: packs.switch,
	});
	return {
		api: { packIndex, packInstalls: installs },
		runners,
		loops: [["worker", following]],
		routes: [...packIndexRoutes, ...packInstallRoutes],
	};
}

/** Returns the problems of the packs in git that a configuration follows. */
export function findFollowedProblems({ packs = [] }: Pick<SvcConfig, "packs">): readonly string[] {
	return packs.flatMap((pack, index) => {
		const problem = typeof pack === "string" ? undefined : findSourceProblem(pack);
		return problem === undefined ? [] : [`packs[${index}].${problem}`];
	});
}

/** Returns why the source cannot be followed, or undefined if it can. The message never contains an address with a password. */
function findSourceProblem(pack: GitPack): string | undefined {
	// The source appears in records, executions and the log, so it must not contain a password.
	if (redactAddress(pack.git) !== plain(pack.git))
		return "git: must be a URL without user name and password; hint: put credentials of servers into content.credentials_file";
	try {
		const { kind, revision, subdirectory } = parsePackRequest(toSourceText(pack));
		if (kind === "index" || kind === "archive" || pack.git.startsWith("/"))
			return "git: must be the URL of a repository; hint: file:// for a local repository";
		if (revision !== pack.revision) return "git: must not contain a revision; hint: use the member revision";
		return (subdirectory === undefined) === (pack.subdirectory === undefined)
			? undefined
			: "git: must not contain a directory; hint: use the member subdirectory";
	} catch (error) {
		return `git: ${toErrorMessage(error)}`;
	}
}

/** Returns an address in the normalized form of `redactAddress`, but with its user name, password and query. */
function plain(address: string): string {
	return URL.canParse(address) ? new URL(address).href : address;
}
