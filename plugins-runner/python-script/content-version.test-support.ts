import * as assert from "node:assert/strict";
import type { RunResult } from "../../core/contract/index.ts";
import type { RunContextOptions } from "../../core/testing/run-context.ts";
import { PackRepository } from "../_content/pack-repository.test-support.ts";
import { toAction } from "./python-pack.test-support.ts";

/** Asserts that `content_version` runs the class of a revision with the modules of that revision, and leaves no files. */
export async function assertContentVersions(run: (options: RunContextOptions) => Promise<RunResult>): Promise<void> {
	const repository = new PackRepository();
	try {
		const entryPoint = repository.write("actions/say.py", toAction("import words\nreturn words.said"));
		repository.write("actions/lib/words.py", "said = 'old'\n");
		repository.commit("v1");
		repository.write("actions/lib/words.py", "said = 'new'\n");
		for (const [content_version, said] of [
			["v1", "old"],
			["", "new"],
		] as const) {
			const { result } = await run({ entryPoint, packDirectory: repository.directory, runnerParameters: { content_version } });
			assert.equal(result["result"], said);
		}
		assert.deepEqual(repository.leftovers(), []);
	} finally {
		repository.remove();
	}
}
