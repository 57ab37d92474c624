// test-timeout: 600
// test-waits
// test-suite: full
import { test } from "uvu";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { type Certificates, createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { Docker, dockerTest } from "../_container/docker.test-support.ts";
import { Registry } from "../_container/registry.test-support.ts";
import { testEngine, testPulls } from "./engine-cases.test-support.ts";
import { containerRunner } from "./index.ts";
import { image, shell } from "./service.test-support.ts";
import { testTls } from "./tls-cases.test-support.ts";

let docker: Docker | undefined;
let certificates: Certificates | undefined;
let registry: Registry | undefined;
const started = async () => {
	certificates ??= await createCertificates();
	docker ??= await Docker.start(certificates);
	return docker;
};
const withRegistry = async () => {
	registry ??= await Registry.start();
	return { engine: await started(), registry };
};

test.after(async () => {
	await docker?.stop();
	await registry?.stop();
	await certificates?.remove();
});

const engineTest = dockerTest(test, "openssl");

testEngine(engineTest, "Docker", started);
testPulls(dockerTest(test, "docker-registry", "htpasswd"), "Docker", withRegistry);
testTls(engineTest, "Docker", async () => {
	const engine = await started();
	return { engine, host: engine.secureHost, certificates: certificates as Certificates, tellsWhy: true };
});

/** Statements that others make of this engine. A container takes 0.3 s of the processor, so that each is tested once. */
const testedElsewhere = new Set([
	// Five at once keep their output apart; this starts 20 containers.
	"container: one instance runs many actions concurrently",
	// engine-cases.test-support.ts
	"container: a failing action resolves as not succeeded",
	"container: an abort (cancel) ends the run within the grace and keeps the output",
]);

// Last, for it leaves containers behind: nobody stores the ends of its runs.
testRunner({
	patience: 30_000,
	test: (name, run) => {
		if (testedElsewhere.has(name)) return;
		engineTest(name, async () => {
			await started();
			await run();
		});
	},
	name: "container",
	create: () => containerRunner({ host: docker?.host ?? "", stop_grace: 1 }),
	cases: {
		succeeds: shell("true"),
		fails: shell("exit 3"),
		throws: { runnerParameters: { image, command: ["/no/such/program"] } },
		prints: (count) => shell(`seq ${count} | sed "s/^/line /"`),
		blocks: shell("echo ready; exec sleep 600"),
		printsInvalid: shell("printf 'a\\377b\\n'"),
		printsSplit: shell("printf '\\303'; sleep 0.1; printf '\\251\\n'"),
		closesOutput: shell("echo ready; exec 1>&-; sleep 0.2; exit 1"),
		lasts: (count) => shell(`i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); usleep 30000; done`),
	},
});

test.run();
