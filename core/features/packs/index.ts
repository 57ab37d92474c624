import { createHash } from "node:crypto";
import { join } from "node:path";
import { type GitPack, type JsonObject, poll } from "../../contract/index.ts";
import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import type { DatastoreItems } from "../datastore/items-exports.ts";
import { PackActivator } from "./activation/pack-activation.ts";
import type { PacksApi } from "./api.ts";
import { StoredPackConfigs } from "./configs/pack-configs.ts";
import { PackContents } from "./content/pack-contents.ts";
import type { FileReader } from "./file-reader-exports.ts";
import { toSourceText } from "./followed-source-exports.ts";
import type { RegisterFiles } from "./pack-files-exports.ts";
import { packViewRoutes } from "./pack-view-routes.ts";
import type { ParsedPack } from "./reading/read-pack-directory.ts";
import { PackRegistration } from "./registration/pack-registration.ts";
import { PackReload } from "./registration/pack-reload.ts";
import { packRoutes } from "./routes.ts";
import { StoredPacks } from "./stored-packs.ts";

export interface PacksFeature extends HttpFeature<PacksApi> {
	/** Registers records of another feature from the files of packs; that feature calls it while it registers. */
	readonly registerFiles: RegisterFiles;
	/** Removes unused pack content from the storage until the signal aborts. Returns how many contents were removed. */
	collectContent(signal: AbortSignal): Promise<number>;
	/** Stored files of packs. */
	readonly contents: PackContents;
	/** Updates the records of packs to match their files. */
	readonly switch: PackActivator;
	/**
	 * Rules that the configuration requires, for the rules feature. A stored rule whose name matches `name` and that is not in `rules` is
	 * removed.
	 */
	readonly ownRules: { readonly pack: "packs"; readonly name: RegExp; readonly rules: readonly FollowRule[] };
}

export interface PacksDependencies {
	readonly access: Access;
	readonly datastore: DatastoreItems;
	/** Readers for the files of all kinds, used to report problems. */
	readonly readers: readonly FileReader[];
	/** Packs of other features, which are registered at each start. */
	readonly builtInPacks: readonly ParsedPack[];
}

/** Creates the feature for pack directories, their configuration and installed packs. */
export function createPacksFeature(kernel: Kernel, needs: PacksDependencies): PacksFeature {
	const root = join(kernel.dependencies.dataDirectory, "packs");
	const { max_pack_size: size, max_files: files } = kernel.options.content;
	const contents = new PackContents({ ...kernel, root, limits: { size, files } });
	const packConfigs = new StoredPackConfigs({
		...kernel,
		...needs,
		packDirectory: (pack) => kernel.catalog.packDirectory(pack),
		readFile: (content, path) => contents.readFile(content, path),
		directory: kernel.dependencies.configs,
	});
	const registration = new PackRegistration({ ...kernel, ...needs, packConfigs });
	const packSwitch = new PackActivator({ ...kernel, ...needs, keep: (content) => [contents.keep(content)] });
	const packRegister = new PackReload({ ...kernel, directories: kernel.dependencies.packs, switch: packSwitch });
	return {
		api: { packConfigs, packs: new StoredPacks({ ...kernel, contents }), packRegister },
		contents,
		switch: packSwitch,
		ownRules: { pack: "packs", name: followRuleName, rules: toFollowRules(kernel.dependencies.followedPacks) },
		registerFiles: (files) => registration.registerFiles(files),
		register: () => registration.register(),
		packConfiguration: packConfigs,
		packContent: contents,
		collectContent: (signal) => contents.collect(signal),
		...createLife(kernel, contents, registration),
		routes: [...packViewRoutes, ...packRoutes],
	};
}

/** Returns the lifecycle functions. While started, content that is no longer in the storage is removed from this node at intervals. */
function createLife(
	{ logger, options }: Kernel,
	contents: PackContents,
	registration: PackRegistration,
): Pick<PacksFeature, "start" | "stop"> {
	const stopping = new AbortController();
	let sweep: Promise<void> | undefined;
	return {
		async start() {
			await registration.removeReplaced();
			sweep ??= poll({ signal: stopping.signal, logger }, options.garbagecollector.collection_interval, () => contents.sweep());
		},
		async stop() {
			stopping.abort();
			await sweep;
		},
	};
}

/** A rule that the service creates because the configuration requires it. */
interface FollowRule {
	readonly pack: "packs";
	readonly name: string;
	readonly description: string;
	readonly enabled: true;
	readonly trigger: { readonly type: string; readonly parameters: JsonObject };
	readonly action: { readonly ref: string; readonly parameters: JsonObject };
}

/** Pattern of the names of follow rules. Stored rules with such a name that are no longer required are removed. */
const followRuleName = /^followed_[0-9a-f]{12}$/;

/** Returns one rule for each repository with a webhook for pushes. The webhook trigger checks the signature and drops duplicates. */
function toFollowRules(packs: readonly GitPack[]): readonly FollowRule[] {
	return packs.flatMap((pack) => {
		const { webhook } = pack;
		if (webhook === undefined) return [];
		const source = toSourceText(pack);
		return {
			pack: "packs",
			name: `followed_${createHash("sha256").update(source).digest("hex").slice(0, 12)}`,
			description: `Checks ${source} after a push.`,
			enabled: true,
			trigger: { type: "core.svc.webhook", parameters: { deduplicate: {}, ...webhook } },
			action: { ref: "packs.look", parameters: { source } },
		};
	});
}
