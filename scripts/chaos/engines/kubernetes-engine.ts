import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pick, type Random } from "../../../core/testing/guarantees/random.test-support.ts";
import { labels } from "../../../plugins-runner/kubernetes-job/job-manifest.ts";
import { findEnd } from "../../../plugins-runner/kubernetes-job/kube-objects.ts";
import { KubeServer } from "../../../plugins-runner/kubernetes-job/kube-server.test-support.ts";
import type { Stored } from "../../../plugins-runner/kubernetes-job/kube-store.test-support.ts";
import { type ChaosEngine, forAWhile, type Leftover, toAbsence } from "./chaos-engine.ts";

/** Jobs of a server that speaks the API. What is cut or slow is the API: pods go on. */
export async function startKubernetes(ledgers: string): Promise<ChaosEngine> {
	const server = await KubeServer.start();
	const { store, controller } = server;
	const find = (kind: string): readonly Stored[] => store.list(kind, () => true);
	const asked = new Set<string>();
	store.listen(({ type, object }) => {
		if (type === "ADDED") asked.add(object.metadata.labels?.[labels.execution] ?? "");
	});
	const cut = (random: Random) =>
		forAWhile(
			random,
			() => server.cut(),
			() => server.mend(),
		);
	return {
		name: "kubernetes",
		options: { server: server.url, kill_grace: 1 },
		action: { runner_type: "kubernetes", parameters: { image: { default: "busybox", immutable: true }, cmd: {} } },
		ledger: join(ledgers, "kubernetes"),
		faults: {
			cut,
			lose: async () => server.loseNextAnswer(),
			// What watches would go on from is forgotten with it.
			async restart(random) {
				server.compact();
				await cut(random);
			},
			async slow(random) {
				server.latency = 300 + random(700);
				await delay(2 * toAbsence(random));
				server.latency = 0;
			},
		},
		removed: /^job \S+: /,
		wasAsked: async ({ id }) => asked.has(id),
		// A cluster keeps what it was given.
		findLoss: async () => undefined,
		async takeAway(random) {
			const jobs = find("Job");
			if (jobs.length === 0) return undefined;
			const job = pick(random, jobs);
			const pod = find("Pod").find(({ metadata }) => metadata.ownerReferences[0].uid === job.metadata.uid);
			if (pod !== undefined && random(2) === 0) controller.removePod(pod);
			else controller.removeJob(job, "Background");
			return job.metadata.labels[labels.execution];
		},
		left: async () => (["Job", "Pod", "Secret"] as const).flatMap((kind) => find(kind).map((object) => toLeftover(kind, object))),
		stop: () => server.stop(),
	};
}

/** A cluster removes jobs that have ended after a while, and with them their pods and Secrets. */
function toLeftover(kind: string, { metadata, spec, status }: Stored): Leftover {
	const isEnded =
		kind === "Job" ? findEnd({ metadata, status }) !== undefined && spec.ttlSecondsAfterFinished > 0 : metadata.ownerReferences?.length > 0;
	const isOver = kind !== "Pod" || ["Succeeded", "Failed"].includes(status.phase);
	return { run: metadata.labels?.[labels.execution] ?? "", what: `${kind} ${metadata.name}`, isDoomed: isEnded && isOver };
}
