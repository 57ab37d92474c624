import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { kubernetesJob } from "svc-automation/plugins-runner/kubernetes-job";

// A kubeconfig whose context contains the namespace of the jobs. Without it, the service must run as a pod and uses its service account.
const kubeconfig = process.env["KUBECONFIG"];

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [kubernetesJob({ ...(kubeconfig ? { kubeconfig } : {}), images: ["docker.io/library/"] })],
	packs: ["packs"],
	data_dir: "../../data/kubernetes-jobs",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
