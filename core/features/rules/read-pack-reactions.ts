import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type JsonObject, toErrorMessage } from "../../contract/index.ts";
import type { PackProblem } from "../packs/read-pack-directory.ts";
import { readYamlObject } from "../packs/read-yaml.ts";
import type { PolicyInput } from "../policies/policies-api.ts";
import { toPolicyInput } from "../policies/policy-metadata.ts";
import type { TriggerTypeInput } from "../triggers/triggers-api.ts";
import { toRuleInput, toTriggerTypeInput } from "./rule-metadata.ts";
import type { RuleInput } from "./rules-api.ts";

/** A resource of a pack, and the file that describes it. */
export interface FromFile<T> {
	readonly file: string;
	readonly input: T;
}

/** What of a pack makes actions run, or says how they do. */
export interface PackReactions {
	readonly triggerTypes: readonly FromFile<TriggerTypeInput>[];
	readonly rules: readonly FromFile<RuleInput>[];
	readonly policies: readonly FromFile<PolicyInput>[];
	readonly problems: readonly PackProblem[];
}

/** Read the folders `triggers`, `rules` and `policies` of a pack. Each bad file is a problem, and the others go on. */
export async function readPackReactions({ ref, path }: { readonly ref: string; readonly path: string }): Promise<PackReactions> {
	const problems: PackProblem[] = [];
	const read = async <T>(
		folder: string,
		convert: (metadata: JsonObject, place: { pack: string; file: string }) => T,
	): Promise<FromFile<T>[]> => {
		const found: FromFile<T>[] = [];
		for (const name of await listFiles(join(path, folder))) {
			const file = join(path, folder, name);
			try {
				found.push({ file, input: convert(await readYamlObject(file), { pack: ref, file: `${folder}/${name}` }) });
			} catch (error) {
				problems.push({ file, message: toErrorMessage(error) });
			}
		}
		return found;
	};
	const triggerTypes = await read("triggers", toTriggerTypeInput);
	const rules = await read("rules", toRuleInput);
	const policies = await read("policies", toPolicyInput);
	return { triggerTypes, rules, policies, problems };
}

/** Files with metadata in a folder of a pack, by name; none when there is no such folder. */
async function listFiles(directory: string): Promise<string[]> {
	const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		throw error;
	});
	const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
	return names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".")).sort();
}
