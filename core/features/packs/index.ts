import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import type { PacksApi } from "./api.ts";
import { StoredPackConfigs } from "./pack-configs.ts";
import type { PackDirectory } from "./packs-api.ts";
import { registerPacks } from "./register-packs.ts";
import { configRoutes } from "./routes.ts";

export interface PacksFeature extends ServedFeature<PacksApi> {
	/** Those that `register` has found, for features that read files of their own there. */
	directories(): readonly PackDirectory[];
}

/** Pack directories and their configuration. */
export function createPacksFeature(kernel: Kernel, needs: { readonly datastore: DatastoreItems }): PacksFeature {
	const { packs, configs } = kernel.dependencies;
	const packConfigs = new StoredPackConfigs({
		...kernel,
		...needs,
		packDirectory: (pack) => kernel.catalog.packDirectory(pack),
		directory: configs,
	});
	let found: readonly PackDirectory[] = [];
	return {
		api: { packConfigs },
		directories: () => found,
		async register() {
			found = await registerPacks(kernel, packs);
			await packConfigs.check();
		},
		configuration: packConfigs,
		routes: configRoutes,
	};
}
