import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const last = 10;

/** A pack with a script that goes on when the service is killed. */
export const lastingPack = {
	name: "lasting",
	action: "lasting.count",
	runners: { "local-script": "localScript({ survive_restart: true })" },
	/** What the script writes to each channel, in something more than a fifth of a second. */
	output: Array.from({ length: last }, (_, index) => `${index + 1}\n`).join(""),
};

/** Put the pack into a directory of packs. */
export async function writeLastingPack(packs: string): Promise<void> {
	const { name } = lastingPack;
	const actions = join(packs, name, "actions");
	await mkdir(actions, { recursive: true });
	const action = {
		name: "count",
		runner_type: "local-shell-script",
		entry_point: "count.sh",
		parameters: { starts: { type: "string", position: 0 } },
	};
	const manifest = { ref: name, name, description: "Outlives the service.", version: "1.0.0", author: "tests" };
	await writeFile(join(packs, name, "pack.yaml"), JSON.stringify(manifest));
	await writeFile(join(actions, "count.yaml"), JSON.stringify(action));
	await writeFile(join(actions, "count.sh"), script, { mode: 0o755 });
}

const script = `#!/bin/sh
echo "$SVC_ACTION_EXECUTION_ID" >> "$1"
i=1
while [ $i -le ${last} ]; do echo $i; echo $i >&2; i=$((i+1)); sleep 0.02; done
`;
