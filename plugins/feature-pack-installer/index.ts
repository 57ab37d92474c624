import { defineFeature, type HttpFeature, type Kernel, type NamedFeatures } from "../../core/feature.ts";
import type { PackInstallerApi } from "./api.ts";
import { findFollowedProblems } from "./followed-sources.ts";
import { packIndexRoutes } from "./index-routes.ts";
import { createPackJobs } from "./install/pack-jobs.ts";
import { packsPack } from "./install/packs-pack.ts";
import { kinds } from "./kinds.ts";
import { packInstallRoutes } from "./routes.ts";
import { PackFetcher } from "./sources/pack-fetcher.ts";
import { PackIndex } from "./sources/pack-index.ts";
import { toSourceSettings } from "./sources/source-settings.ts";

export type { PackInstallerApi } from "./api.ts";

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
