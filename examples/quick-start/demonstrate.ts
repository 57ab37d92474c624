import type { Client } from "svc-automation/client";

const cmd = 'for i in 1 2 3 4 5; do echo "step $i of 5"; sleep 0.4; done; echo "done on $(hostname)"';

/** Runs an action, prints its output as it arrives, and then prints the finished execution. */
export async function demonstrate(client: Client, say: (text?: string) => void): Promise<void> {
	say("\nPOST /v1/executions");
	const started = performance.now();
	const { id, status } = await client.executions.create({ action: "core.local", parameters: { cmd } });
	say(`  execution ${id} is ${status}\n`);

	say(`GET /stream/v1/executions/${id}/output`);
	for await (const { output_type, data } of client.followOutput(id)) {
		const seconds = ((performance.now() - started) / 1000).toFixed(2);
		say(`  +${seconds} s  ${output_type}  ${data.trimEnd()}`);
	}

	const record = await client.executions.get(id);
	const { elapsed_seconds, result, log } = record;
	say(`\nGET /v1/executions/${id}`);
	say(`  status           ${record.status}`);
	say(`  states           ${log.map((entry) => entry.status).join(", ")}`);
	say(`  elapsed_seconds  ${elapsed_seconds}`);
	say(`  result           ${JSON.stringify(result)}`);
	if (record.status !== "succeeded") throw new Error(`the execution ended ${record.status} instead of succeeded`);
}
