import type { ComponentChildren } from "preact";
import type { JsonObject } from "../../../../core/contract/index.ts";
import type { PackJobRecord } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { Dialog } from "../parts/confirm.tsx";
import { beginJob, jobSchemas } from "./pack-jobs.ts";

interface JobDialogProps {
	readonly job: keyof typeof jobSchemas;
	readonly title: string;
	readonly action: string;
	/** Values that the form contains at first. */
	readonly proposed?: JsonObject;
	readonly begin: (values: JsonObject) => Promise<PackJobRecord>;
	readonly onClose: () => void;
	readonly children?: ComponentChildren;
}

/** Shows a dialog for the options of a pack job. Starts the job. */
export function JobDialog({ job, title, action, proposed = {}, begin, onClose, children }: JobDialogProps) {
	return (
		<Dialog title={title} onClose={onClose}>
			{children}
			<SchemaForm
				schema={jobSchemas[job]}
				action={action}
				proposed={proposed}
				onSubmit={async (values) => {
					await beginJob(job, () => begin(values));
					onClose();
				}}
				onCancel={onClose}
			/>
		</Dialog>
	);
}
