import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { containerRunner } from "svc-automation/plugins-runner/container";
import { localScript } from "svc-automation/plugins-runner/local-script";

// If CONTAINER_HOST is not set (example: unix:///run/user/1000/podman/podman.sock), the usual sockets of Docker and Podman are tried.
const host = process.env["CONTAINER_HOST"];
const containers = { ...(host ? { host } : {}), images: ["docker.io/library/*", "localhost/*"], user: "65534:65534" };

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	// Scripts do not run on this machine: executions without a container are refused.
	runners: [containerRunner(containers), localScript({ containers, container_required: true })],
	packs: ["packs"],
	data_dir: "../../data/containers",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
