import { client } from "../kit/service.ts";
import { JobDialog } from "./job-dialog.tsx";

interface UpgradeProps {
	/** Refs of the packs; empty for all installed packs. */
	readonly packs: readonly string[];
	readonly onClose: () => void;
}

/** Requests confirmation and upgrades the packs. */
export function UpgradeDialog({ packs, onClose }: UpgradeProps) {
	return (
		<JobDialog
			job="upgrade"
			title={packs.length === 0 ? "Upgrade all packs?" : `Upgrade ${packs.join(", ")}?`}
			action="Upgrade"
			begin={(flags) => client.packInstalls.upgrade(packs, flags)}
			onClose={onClose}
		>
			<p>What is newer is installed from where it came from. Executions that run meanwhile end with the files that they began with.</p>
		</JobDialog>
	);
}
