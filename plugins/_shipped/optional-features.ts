import { registerShippedFeatures } from "../../core/service/config/left-out-features.ts";
import { auditOptions } from "../feature-audit/options.ts";
import { workersOptions } from "../feature-workers/options.ts";

// The factories are not called, and their modules not imported: that takes time, and defines kinds and permissions of the features.
registerShippedFeatures([
	{ name: "webUi", module: "svc-automation/plugins/feature-web-ui" },
	{ name: "audit", module: "svc-automation/plugins/feature-audit", options: { audit: auditOptions } },
	{ name: "aliases", module: "svc-automation/plugins/feature-aliases" },
	{ name: "packInstaller", module: "svc-automation/plugins/feature-pack-installer", findUses: findFollowedPack },
	{ name: "workers", module: "svc-automation/plugins/feature-workers", options: { workers: workersOptions } },
]);

/** Returns the path of the first pack in git, which `packInstaller` follows. */
function findFollowedPack({ packs }: Readonly<Record<string, unknown>>): readonly string[] {
	const index = Array.isArray(packs) ? packs.findIndex((pack) => typeof pack === "object") : -1;
	return index === -1 ? [] : [`packs[${index}]`];
}
