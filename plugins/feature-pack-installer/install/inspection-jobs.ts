import { type JsonObject, type JsonValue, type PackEntity, type Storage, SvcError } from "../../../core/contract/index.ts";
import { maskBySchema, type PackConfigs, type PackRegister, type Resource, type Uses } from "../../../core/feature.ts";
import type { PackIndex } from "../sources/pack-index.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Job, Jobs } from "./job-runner.ts";
import { prepareEnvironments } from "./prepare-environments.ts";

/** Services that the jobs use. Only `packRegister` changes records. */
export interface InspectionJobFeatures {
	readonly packConfigs: Pick<PackConfigs, "get">;
	readonly index: Pick<PackIndex, "search" | "show">;
	readonly packRegister: PackRegister;
}

export interface InspectionJobDependencies extends InspectionJobFeatures, Uses<"storage" | "runners"> {
	readonly packDirectory: (ref: string) => Promise<string | undefined>;
}

type InspectionJobs = Pick<Jobs, "get" | "show" | "search" | "load" | "get_config" | "setup_virtualenv">;

/** Creates the jobs of the pack `packs` that neither install nor remove a pack. */
export function createInspectionJobs(parts: InspectionJobDependencies): InspectionJobs {
	const { storage, index, packConfigs, packRegister } = parts;
	return {
		get: {
			permission: "pack_view",
			resource: toPackResource,
			async perform({ parameters, report }) {
				const { ref, version, metadata, content, source, installation } = await findPack(
					storage,
					new JobParameters(parameters).text("pack"),
				);
				report.packs.push(ref);
				report.add({ pack: { ...metadata, ref, version, content, source, installation } });
			},
		},
		show: {
			permission: "pack_search",
			async perform({ parameters, report }) {
				const pack = new JobParameters(parameters).text("pack");
				report.add({ pack: (await report.task("read the index", () => index.show(pack))) ?? null });
			},
		},
		search: {
			permission: "pack_search",
			async perform({ parameters, report }) {
				const query = new JobParameters(parameters).text("query");
				report.add({ matches: (await report.task("search the index", () => index.search(query))) as JsonValue });
			},
		},
		load: {
			permission: "pack_register",
			async perform({ parameters, principal, report }) {
				const given = new JobParameters(parameters);
				const [packs, kind] = [given.texts("packs"), given.text("register")];
				const input = { ...(packs.length > 0 && { packs }), ...(kind !== "" && kind !== "all" && { types: [kind] }) };
				report.packs.push(...packs);
				report.add({ registered: { ...(await report.task("reload the packs", () => packRegister.register(input, principal))) } });
			},
		},
		get_config: {
			permission: "pack_view",
			resource: toPackResource,
			async perform({ parameters, report }) {
				const { pack, values, schema } = await packConfigs.get(new JobParameters(parameters).text("pack"));
				report.packs.push(pack);
				report.add({ values: maskBySchema(values, schema) });
			},
		},
		setup_virtualenv: createSetupJob(parts),
	};
}

function createSetupJob({ storage, runners, packDirectory }: InspectionJobDependencies): Job {
	return {
		permission: "pack_install",
		async perform({ parameters, report }) {
			for (const name of new JobParameters(parameters).texts("packs")) {
				const { ref } = await findPack(storage, name);
				await report.task(`prepare the environment of ${ref}`, async () => {
					const directory = await packDirectory(ref);
					if (directory !== undefined) await prepareEnvironments(runners, { ref, directory, signal: report.signal }, report);
				});
				report.packs.push(ref);
			}
		},
	};
}

function toPackResource(parameters: JsonObject): Resource {
	return { uid: `pack:${String(parameters["pack"] ?? "")}` };
}

async function findPack(storage: Storage, ref: string): Promise<PackEntity> {
	const [pack] = await storage.find("pack", { where: { ref }, limit: 1 });
	if (pack === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${ref}" is not installed`);
	return pack;
}
