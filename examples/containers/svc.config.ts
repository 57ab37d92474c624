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

// Without CONTAINER_HOST, such as unix:///run/user/1000/podman/podman.sock, the usual sockets of Docker and Podman are tried.
const host = process.env["CONTAINER_HOST"];
const containers = { ...(host ? { host } : {}), images: ["docker.io/library/*", "localhost/*"], user: "65534:65534" };

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	// No script runs on this machine: those that name no container are refused.
	runners: [containerRunner(containers), localScript({ containers, container_required: true })],
	packs: ["packs"],
	data_dir: "../../data/containers",
	// It listens on this machine only. With sign-in it would be one member more, as in the other examples.
	auth: { enable: false },
});
