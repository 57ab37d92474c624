import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import type { PacksApi } from "./api.ts";
import { StoredPackConfigs } from "./pack-configs.ts";
import type { RegisterFiles } from "./pack-files-api.ts";
import { PackRegistration } from "./pack-registration.ts";
import { configRoutes } from "./routes.ts";

export interface PacksFeature extends ServedFeature<PacksApi> {
	/** For features whose records packs may bring; to be called when they are registered. */
	readonly registerFiles: RegisterFiles;
}

/** Pack directories and their configuration. */
export function createPacksFeature(kernel: Kernel, needs: { readonly datastore: DatastoreItems }): PacksFeature {
	const packConfigs = new StoredPackConfigs({
		...kernel,
		...needs,
		packDirectory: (pack) => kernel.catalog.packDirectory(pack),
		directory: kernel.dependencies.configs,
	});
	const registration = new PackRegistration({ ...kernel, packConfigs });
	return {
		api: { packConfigs },
		registerFiles: (files) => registration.registerFiles(files),
		register: () => registration.register(),
		configuration: packConfigs,
		routes: configRoutes,
	};
}
