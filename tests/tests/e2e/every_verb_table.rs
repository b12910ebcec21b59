// Written by `cargo run -p kubeloom-tests -- tables`.
#![cfg_attr(rustfmt, rustfmt_skip)]

use kubeloom::resource::sub;
use kubeloom_k8s as k8s;

use super::Probe;

async fn admissionregistration_v1(probe: &mut Probe) {
    probe.create::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.delete::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.delete_collection::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.get::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.list::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.patch::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.update::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.watch::<k8s::admissionregistration_v1::MutatingAdmissionPolicy>().await;
    probe.create::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.delete::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.delete_collection::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.get::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.list::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.patch::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.update::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.watch::<k8s::admissionregistration_v1::MutatingAdmissionPolicyBinding>().await;
    probe.create::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.delete::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.delete_collection::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.get::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.list::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.patch::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.update::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.watch::<k8s::admissionregistration_v1::MutatingWebhookConfiguration>().await;
    probe.create::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.delete::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.delete_collection::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.get::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.list::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.patch::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.update::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.watch::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy>().await;
    probe.get_part::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy, sub::Status>().await;
    probe.patch_part::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy, sub::Status>().await;
    probe.update_part::<k8s::admissionregistration_v1::ValidatingAdmissionPolicy, sub::Status>().await;
    probe.create::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.delete::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.delete_collection::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.get::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.list::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.patch::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.update::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.watch::<k8s::admissionregistration_v1::ValidatingAdmissionPolicyBinding>().await;
    probe.create::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.delete::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.delete_collection::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.get::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.list::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.patch::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.update::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
    probe.watch::<k8s::admissionregistration_v1::ValidatingWebhookConfiguration>().await;
}

async fn admissionregistration_v1alpha1(probe: &mut Probe) {
    probe.create::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.delete::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.delete_collection::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.get::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.list::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.patch::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.update::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.watch::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicy>().await;
    probe.create::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.delete::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.delete_collection::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.get::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.list::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.patch::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.update::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
    probe.watch::<k8s::admissionregistration_v1alpha1::MutatingAdmissionPolicyBinding>().await;
}

async fn admissionregistration_v1beta1(probe: &mut Probe) {
    probe.create::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.delete::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.delete_collection::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.get::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.list::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.patch::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.update::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.watch::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicy>().await;
    probe.create::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.delete::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.delete_collection::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.get::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.list::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.patch::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.update::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
    probe.watch::<k8s::admissionregistration_v1beta1::MutatingAdmissionPolicyBinding>().await;
}

async fn apiextensions_v1(probe: &mut Probe) {
    probe.create::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.delete::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.delete_collection::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.get::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.list::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.patch::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.update::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.watch::<k8s::apiextensions_v1::CustomResourceDefinition>().await;
    probe.get_part::<k8s::apiextensions_v1::CustomResourceDefinition, sub::Status>().await;
    probe.patch_part::<k8s::apiextensions_v1::CustomResourceDefinition, sub::Status>().await;
    probe.update_part::<k8s::apiextensions_v1::CustomResourceDefinition, sub::Status>().await;
}

async fn apiregistration_v1(probe: &mut Probe) {
    probe.create::<k8s::apiregistration_v1::APIService>().await;
    probe.delete::<k8s::apiregistration_v1::APIService>().await;
    probe.delete_collection::<k8s::apiregistration_v1::APIService>().await;
    probe.get::<k8s::apiregistration_v1::APIService>().await;
    probe.list::<k8s::apiregistration_v1::APIService>().await;
    probe.patch::<k8s::apiregistration_v1::APIService>().await;
    probe.update::<k8s::apiregistration_v1::APIService>().await;
    probe.watch::<k8s::apiregistration_v1::APIService>().await;
    probe.get_part::<k8s::apiregistration_v1::APIService, sub::Status>().await;
    probe.patch_part::<k8s::apiregistration_v1::APIService, sub::Status>().await;
    probe.update_part::<k8s::apiregistration_v1::APIService, sub::Status>().await;
}

async fn apps_v1(probe: &mut Probe) {
    probe.create::<k8s::apps_v1::ControllerRevision>().await;
    probe.delete::<k8s::apps_v1::ControllerRevision>().await;
    probe.delete_collection::<k8s::apps_v1::ControllerRevision>().await;
    probe.get::<k8s::apps_v1::ControllerRevision>().await;
    probe.list::<k8s::apps_v1::ControllerRevision>().await;
    probe.patch::<k8s::apps_v1::ControllerRevision>().await;
    probe.update::<k8s::apps_v1::ControllerRevision>().await;
    probe.watch::<k8s::apps_v1::ControllerRevision>().await;
    probe.create::<k8s::apps_v1::DaemonSet>().await;
    probe.delete::<k8s::apps_v1::DaemonSet>().await;
    probe.delete_collection::<k8s::apps_v1::DaemonSet>().await;
    probe.get::<k8s::apps_v1::DaemonSet>().await;
    probe.list::<k8s::apps_v1::DaemonSet>().await;
    probe.patch::<k8s::apps_v1::DaemonSet>().await;
    probe.update::<k8s::apps_v1::DaemonSet>().await;
    probe.watch::<k8s::apps_v1::DaemonSet>().await;
    probe.get_part::<k8s::apps_v1::DaemonSet, sub::Status>().await;
    probe.patch_part::<k8s::apps_v1::DaemonSet, sub::Status>().await;
    probe.update_part::<k8s::apps_v1::DaemonSet, sub::Status>().await;
    probe.create::<k8s::apps_v1::Deployment>().await;
    probe.delete::<k8s::apps_v1::Deployment>().await;
    probe.delete_collection::<k8s::apps_v1::Deployment>().await;
    probe.get::<k8s::apps_v1::Deployment>().await;
    probe.list::<k8s::apps_v1::Deployment>().await;
    probe.patch::<k8s::apps_v1::Deployment>().await;
    probe.update::<k8s::apps_v1::Deployment>().await;
    probe.watch::<k8s::apps_v1::Deployment>().await;
    probe.get_part::<k8s::apps_v1::Deployment, sub::Scale>().await;
    probe.patch_part::<k8s::apps_v1::Deployment, sub::Scale>().await;
    probe.update_part::<k8s::apps_v1::Deployment, sub::Scale>().await;
    probe.get_part::<k8s::apps_v1::Deployment, sub::Status>().await;
    probe.patch_part::<k8s::apps_v1::Deployment, sub::Status>().await;
    probe.update_part::<k8s::apps_v1::Deployment, sub::Status>().await;
    probe.create::<k8s::apps_v1::ReplicaSet>().await;
    probe.delete::<k8s::apps_v1::ReplicaSet>().await;
    probe.delete_collection::<k8s::apps_v1::ReplicaSet>().await;
    probe.get::<k8s::apps_v1::ReplicaSet>().await;
    probe.list::<k8s::apps_v1::ReplicaSet>().await;
    probe.patch::<k8s::apps_v1::ReplicaSet>().await;
    probe.update::<k8s::apps_v1::ReplicaSet>().await;
    probe.watch::<k8s::apps_v1::ReplicaSet>().await;
    probe.get_part::<k8s::apps_v1::ReplicaSet, sub::Scale>().await;
    probe.patch_part::<k8s::apps_v1::ReplicaSet, sub::Scale>().await;
    probe.update_part::<k8s::apps_v1::ReplicaSet, sub::Scale>().await;
    probe.get_part::<k8s::apps_v1::ReplicaSet, sub::Status>().await;
    probe.patch_part::<k8s::apps_v1::ReplicaSet, sub::Status>().await;
    probe.update_part::<k8s::apps_v1::ReplicaSet, sub::Status>().await;
    probe.create::<k8s::apps_v1::StatefulSet>().await;
    probe.delete::<k8s::apps_v1::StatefulSet>().await;
    probe.delete_collection::<k8s::apps_v1::StatefulSet>().await;
    probe.get::<k8s::apps_v1::StatefulSet>().await;
    probe.list::<k8s::apps_v1::StatefulSet>().await;
    probe.patch::<k8s::apps_v1::StatefulSet>().await;
    probe.update::<k8s::apps_v1::StatefulSet>().await;
    probe.watch::<k8s::apps_v1::StatefulSet>().await;
    probe.get_part::<k8s::apps_v1::StatefulSet, sub::Scale>().await;
    probe.patch_part::<k8s::apps_v1::StatefulSet, sub::Scale>().await;
    probe.update_part::<k8s::apps_v1::StatefulSet, sub::Scale>().await;
    probe.get_part::<k8s::apps_v1::StatefulSet, sub::Status>().await;
    probe.patch_part::<k8s::apps_v1::StatefulSet, sub::Status>().await;
    probe.update_part::<k8s::apps_v1::StatefulSet, sub::Status>().await;
}

async fn authentication_v1(probe: &mut Probe) {
    probe.create::<k8s::authentication_v1::SelfSubjectReview>().await;
    probe.create::<k8s::authentication_v1::TokenReview>().await;
}

async fn authorization_v1(probe: &mut Probe) {
    probe.create::<k8s::authorization_v1::LocalSubjectAccessReview>().await;
    probe.create::<k8s::authorization_v1::SelfSubjectAccessReview>().await;
    probe.create::<k8s::authorization_v1::SelfSubjectRulesReview>().await;
    probe.create::<k8s::authorization_v1::SubjectAccessReview>().await;
}

async fn autoscaling_v1(probe: &mut Probe) {
    probe.create::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.delete::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.delete_collection::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.get::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.list::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.patch::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.update::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.watch::<k8s::autoscaling_v1::HorizontalPodAutoscaler>().await;
    probe.get_part::<k8s::autoscaling_v1::HorizontalPodAutoscaler, sub::Status>().await;
    probe.patch_part::<k8s::autoscaling_v1::HorizontalPodAutoscaler, sub::Status>().await;
    probe.update_part::<k8s::autoscaling_v1::HorizontalPodAutoscaler, sub::Status>().await;
}

async fn autoscaling_v2(probe: &mut Probe) {
    probe.create::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.delete::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.delete_collection::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.get::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.list::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.patch::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.update::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.watch::<k8s::autoscaling_v2::HorizontalPodAutoscaler>().await;
    probe.get_part::<k8s::autoscaling_v2::HorizontalPodAutoscaler, sub::Status>().await;
    probe.patch_part::<k8s::autoscaling_v2::HorizontalPodAutoscaler, sub::Status>().await;
    probe.update_part::<k8s::autoscaling_v2::HorizontalPodAutoscaler, sub::Status>().await;
}

async fn batch_v1(probe: &mut Probe) {
    probe.create::<k8s::batch_v1::CronJob>().await;
    probe.delete::<k8s::batch_v1::CronJob>().await;
    probe.delete_collection::<k8s::batch_v1::CronJob>().await;
    probe.get::<k8s::batch_v1::CronJob>().await;
    probe.list::<k8s::batch_v1::CronJob>().await;
    probe.patch::<k8s::batch_v1::CronJob>().await;
    probe.update::<k8s::batch_v1::CronJob>().await;
    probe.watch::<k8s::batch_v1::CronJob>().await;
    probe.get_part::<k8s::batch_v1::CronJob, sub::Status>().await;
    probe.patch_part::<k8s::batch_v1::CronJob, sub::Status>().await;
    probe.update_part::<k8s::batch_v1::CronJob, sub::Status>().await;
    probe.create::<k8s::batch_v1::Job>().await;
    probe.delete::<k8s::batch_v1::Job>().await;
    probe.delete_collection::<k8s::batch_v1::Job>().await;
    probe.get::<k8s::batch_v1::Job>().await;
    probe.list::<k8s::batch_v1::Job>().await;
    probe.patch::<k8s::batch_v1::Job>().await;
    probe.update::<k8s::batch_v1::Job>().await;
    probe.watch::<k8s::batch_v1::Job>().await;
    probe.get_part::<k8s::batch_v1::Job, sub::Status>().await;
    probe.patch_part::<k8s::batch_v1::Job, sub::Status>().await;
    probe.update_part::<k8s::batch_v1::Job, sub::Status>().await;
}

async fn certificates_v1(probe: &mut Probe) {
    probe.create::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.delete::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.delete_collection::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.get::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.list::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.patch::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.update::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.watch::<k8s::certificates_v1::CertificateSigningRequest>().await;
    probe.get_part::<k8s::certificates_v1::CertificateSigningRequest, sub::Approval>().await;
    probe.patch_part::<k8s::certificates_v1::CertificateSigningRequest, sub::Approval>().await;
    probe.update_part::<k8s::certificates_v1::CertificateSigningRequest, sub::Approval>().await;
    probe.get_part::<k8s::certificates_v1::CertificateSigningRequest, sub::Status>().await;
    probe.patch_part::<k8s::certificates_v1::CertificateSigningRequest, sub::Status>().await;
    probe.update_part::<k8s::certificates_v1::CertificateSigningRequest, sub::Status>().await;
    probe.create::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.delete::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.delete_collection::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.get::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.list::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.patch::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.update::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.watch::<k8s::certificates_v1::ClusterTrustBundle>().await;
    probe.create::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.delete::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.delete_collection::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.get::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.list::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.patch::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.update::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.watch::<k8s::certificates_v1::PodCertificateRequest>().await;
    probe.get_part::<k8s::certificates_v1::PodCertificateRequest, sub::Status>().await;
    probe.patch_part::<k8s::certificates_v1::PodCertificateRequest, sub::Status>().await;
    probe.update_part::<k8s::certificates_v1::PodCertificateRequest, sub::Status>().await;
}

async fn certificates_v1beta1(probe: &mut Probe) {
    probe.create::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.delete::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.delete_collection::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.get::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.list::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.patch::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.update::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.watch::<k8s::certificates_v1beta1::ClusterTrustBundle>().await;
    probe.create::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.delete::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.delete_collection::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.get::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.list::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.patch::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.update::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.watch::<k8s::certificates_v1beta1::PodCertificateRequest>().await;
    probe.get_part::<k8s::certificates_v1beta1::PodCertificateRequest, sub::Status>().await;
    probe.patch_part::<k8s::certificates_v1beta1::PodCertificateRequest, sub::Status>().await;
    probe.update_part::<k8s::certificates_v1beta1::PodCertificateRequest, sub::Status>().await;
}

async fn coordination_v1(probe: &mut Probe) {
    probe.create::<k8s::coordination_v1::Lease>().await;
    probe.delete::<k8s::coordination_v1::Lease>().await;
    probe.delete_collection::<k8s::coordination_v1::Lease>().await;
    probe.get::<k8s::coordination_v1::Lease>().await;
    probe.list::<k8s::coordination_v1::Lease>().await;
    probe.patch::<k8s::coordination_v1::Lease>().await;
    probe.update::<k8s::coordination_v1::Lease>().await;
    probe.watch::<k8s::coordination_v1::Lease>().await;
}

async fn coordination_v1alpha2(probe: &mut Probe) {
    probe.create::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.delete::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.delete_collection::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.get::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.list::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.patch::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.update::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
    probe.watch::<k8s::coordination_v1alpha2::LeaseCandidate>().await;
}

async fn coordination_v1beta1(probe: &mut Probe) {
    probe.create::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.delete::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.delete_collection::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.get::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.list::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.patch::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.update::<k8s::coordination_v1beta1::LeaseCandidate>().await;
    probe.watch::<k8s::coordination_v1beta1::LeaseCandidate>().await;
}

async fn core_v1(probe: &mut Probe) {
    probe.get::<k8s::core_v1::ComponentStatus>().await;
    probe.list::<k8s::core_v1::ComponentStatus>().await;
    probe.create::<k8s::core_v1::ConfigMap>().await;
    probe.delete::<k8s::core_v1::ConfigMap>().await;
    probe.delete_collection::<k8s::core_v1::ConfigMap>().await;
    probe.get::<k8s::core_v1::ConfigMap>().await;
    probe.list::<k8s::core_v1::ConfigMap>().await;
    probe.patch::<k8s::core_v1::ConfigMap>().await;
    probe.update::<k8s::core_v1::ConfigMap>().await;
    probe.watch::<k8s::core_v1::ConfigMap>().await;
    probe.create::<k8s::core_v1::Endpoints>().await;
    probe.delete::<k8s::core_v1::Endpoints>().await;
    probe.delete_collection::<k8s::core_v1::Endpoints>().await;
    probe.get::<k8s::core_v1::Endpoints>().await;
    probe.list::<k8s::core_v1::Endpoints>().await;
    probe.patch::<k8s::core_v1::Endpoints>().await;
    probe.update::<k8s::core_v1::Endpoints>().await;
    probe.watch::<k8s::core_v1::Endpoints>().await;
    probe.create::<k8s::core_v1::Event>().await;
    probe.delete::<k8s::core_v1::Event>().await;
    probe.delete_collection::<k8s::core_v1::Event>().await;
    probe.get::<k8s::core_v1::Event>().await;
    probe.list::<k8s::core_v1::Event>().await;
    probe.patch::<k8s::core_v1::Event>().await;
    probe.update::<k8s::core_v1::Event>().await;
    probe.watch::<k8s::core_v1::Event>().await;
    probe.create::<k8s::core_v1::LimitRange>().await;
    probe.delete::<k8s::core_v1::LimitRange>().await;
    probe.delete_collection::<k8s::core_v1::LimitRange>().await;
    probe.get::<k8s::core_v1::LimitRange>().await;
    probe.list::<k8s::core_v1::LimitRange>().await;
    probe.patch::<k8s::core_v1::LimitRange>().await;
    probe.update::<k8s::core_v1::LimitRange>().await;
    probe.watch::<k8s::core_v1::LimitRange>().await;
    probe.create::<k8s::core_v1::Namespace>().await;
    probe.delete::<k8s::core_v1::Namespace>().await;
    probe.get::<k8s::core_v1::Namespace>().await;
    probe.list::<k8s::core_v1::Namespace>().await;
    probe.patch::<k8s::core_v1::Namespace>().await;
    probe.update::<k8s::core_v1::Namespace>().await;
    probe.watch::<k8s::core_v1::Namespace>().await;
    probe.update_part::<k8s::core_v1::Namespace, sub::Finalize>().await;
    probe.get_part::<k8s::core_v1::Namespace, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::Namespace, sub::Status>().await;
    probe.update_part::<k8s::core_v1::Namespace, sub::Status>().await;
    probe.create::<k8s::core_v1::Node>().await;
    probe.delete::<k8s::core_v1::Node>().await;
    probe.delete_collection::<k8s::core_v1::Node>().await;
    probe.get::<k8s::core_v1::Node>().await;
    probe.list::<k8s::core_v1::Node>().await;
    probe.patch::<k8s::core_v1::Node>().await;
    probe.update::<k8s::core_v1::Node>().await;
    probe.watch::<k8s::core_v1::Node>().await;
    probe.get_part::<k8s::core_v1::Node, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::Node, sub::Status>().await;
    probe.update_part::<k8s::core_v1::Node, sub::Status>().await;
    probe.create::<k8s::core_v1::PersistentVolume>().await;
    probe.delete::<k8s::core_v1::PersistentVolume>().await;
    probe.delete_collection::<k8s::core_v1::PersistentVolume>().await;
    probe.get::<k8s::core_v1::PersistentVolume>().await;
    probe.list::<k8s::core_v1::PersistentVolume>().await;
    probe.patch::<k8s::core_v1::PersistentVolume>().await;
    probe.update::<k8s::core_v1::PersistentVolume>().await;
    probe.watch::<k8s::core_v1::PersistentVolume>().await;
    probe.get_part::<k8s::core_v1::PersistentVolume, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::PersistentVolume, sub::Status>().await;
    probe.update_part::<k8s::core_v1::PersistentVolume, sub::Status>().await;
    probe.create::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.delete::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.delete_collection::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.get::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.list::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.patch::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.update::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.watch::<k8s::core_v1::PersistentVolumeClaim>().await;
    probe.get_part::<k8s::core_v1::PersistentVolumeClaim, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::PersistentVolumeClaim, sub::Status>().await;
    probe.update_part::<k8s::core_v1::PersistentVolumeClaim, sub::Status>().await;
    probe.create::<k8s::core_v1::Pod>().await;
    probe.delete::<k8s::core_v1::Pod>().await;
    probe.delete_collection::<k8s::core_v1::Pod>().await;
    probe.get::<k8s::core_v1::Pod>().await;
    probe.list::<k8s::core_v1::Pod>().await;
    probe.patch::<k8s::core_v1::Pod>().await;
    probe.update::<k8s::core_v1::Pod>().await;
    probe.watch::<k8s::core_v1::Pod>().await;
    probe.create_part::<k8s::core_v1::Pod, sub::Binding>().await;
    probe.get_part::<k8s::core_v1::Pod, sub::EphemeralContainers>().await;
    probe.patch_part::<k8s::core_v1::Pod, sub::EphemeralContainers>().await;
    probe.update_part::<k8s::core_v1::Pod, sub::EphemeralContainers>().await;
    probe.create_part::<k8s::core_v1::Pod, sub::Eviction>().await;
    probe.get_part::<k8s::core_v1::Pod, sub::Log>().await;
    probe.get_part::<k8s::core_v1::Pod, sub::Resize>().await;
    probe.patch_part::<k8s::core_v1::Pod, sub::Resize>().await;
    probe.update_part::<k8s::core_v1::Pod, sub::Resize>().await;
    probe.get_part::<k8s::core_v1::Pod, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::Pod, sub::Status>().await;
    probe.update_part::<k8s::core_v1::Pod, sub::Status>().await;
    probe.create::<k8s::core_v1::PodTemplate>().await;
    probe.delete::<k8s::core_v1::PodTemplate>().await;
    probe.delete_collection::<k8s::core_v1::PodTemplate>().await;
    probe.get::<k8s::core_v1::PodTemplate>().await;
    probe.list::<k8s::core_v1::PodTemplate>().await;
    probe.patch::<k8s::core_v1::PodTemplate>().await;
    probe.update::<k8s::core_v1::PodTemplate>().await;
    probe.watch::<k8s::core_v1::PodTemplate>().await;
    probe.create::<k8s::core_v1::ReplicationController>().await;
    probe.delete::<k8s::core_v1::ReplicationController>().await;
    probe.delete_collection::<k8s::core_v1::ReplicationController>().await;
    probe.get::<k8s::core_v1::ReplicationController>().await;
    probe.list::<k8s::core_v1::ReplicationController>().await;
    probe.patch::<k8s::core_v1::ReplicationController>().await;
    probe.update::<k8s::core_v1::ReplicationController>().await;
    probe.watch::<k8s::core_v1::ReplicationController>().await;
    probe.get_part::<k8s::core_v1::ReplicationController, sub::Scale>().await;
    probe.patch_part::<k8s::core_v1::ReplicationController, sub::Scale>().await;
    probe.update_part::<k8s::core_v1::ReplicationController, sub::Scale>().await;
    probe.get_part::<k8s::core_v1::ReplicationController, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::ReplicationController, sub::Status>().await;
    probe.update_part::<k8s::core_v1::ReplicationController, sub::Status>().await;
    probe.create::<k8s::core_v1::ResourceQuota>().await;
    probe.delete::<k8s::core_v1::ResourceQuota>().await;
    probe.delete_collection::<k8s::core_v1::ResourceQuota>().await;
    probe.get::<k8s::core_v1::ResourceQuota>().await;
    probe.list::<k8s::core_v1::ResourceQuota>().await;
    probe.patch::<k8s::core_v1::ResourceQuota>().await;
    probe.update::<k8s::core_v1::ResourceQuota>().await;
    probe.watch::<k8s::core_v1::ResourceQuota>().await;
    probe.get_part::<k8s::core_v1::ResourceQuota, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::ResourceQuota, sub::Status>().await;
    probe.update_part::<k8s::core_v1::ResourceQuota, sub::Status>().await;
    probe.create::<k8s::core_v1::Secret>().await;
    probe.delete::<k8s::core_v1::Secret>().await;
    probe.delete_collection::<k8s::core_v1::Secret>().await;
    probe.get::<k8s::core_v1::Secret>().await;
    probe.list::<k8s::core_v1::Secret>().await;
    probe.patch::<k8s::core_v1::Secret>().await;
    probe.update::<k8s::core_v1::Secret>().await;
    probe.watch::<k8s::core_v1::Secret>().await;
    probe.create::<k8s::core_v1::Service>().await;
    probe.delete::<k8s::core_v1::Service>().await;
    probe.delete_collection::<k8s::core_v1::Service>().await;
    probe.get::<k8s::core_v1::Service>().await;
    probe.list::<k8s::core_v1::Service>().await;
    probe.patch::<k8s::core_v1::Service>().await;
    probe.update::<k8s::core_v1::Service>().await;
    probe.watch::<k8s::core_v1::Service>().await;
    probe.get_part::<k8s::core_v1::Service, sub::Status>().await;
    probe.patch_part::<k8s::core_v1::Service, sub::Status>().await;
    probe.update_part::<k8s::core_v1::Service, sub::Status>().await;
    probe.create::<k8s::core_v1::ServiceAccount>().await;
    probe.delete::<k8s::core_v1::ServiceAccount>().await;
    probe.delete_collection::<k8s::core_v1::ServiceAccount>().await;
    probe.get::<k8s::core_v1::ServiceAccount>().await;
    probe.list::<k8s::core_v1::ServiceAccount>().await;
    probe.patch::<k8s::core_v1::ServiceAccount>().await;
    probe.update::<k8s::core_v1::ServiceAccount>().await;
    probe.watch::<k8s::core_v1::ServiceAccount>().await;
    probe.create_part::<k8s::core_v1::ServiceAccount, sub::Token>().await;
}

async fn discovery_v1(probe: &mut Probe) {
    probe.create::<k8s::discovery_v1::EndpointSlice>().await;
    probe.delete::<k8s::discovery_v1::EndpointSlice>().await;
    probe.delete_collection::<k8s::discovery_v1::EndpointSlice>().await;
    probe.get::<k8s::discovery_v1::EndpointSlice>().await;
    probe.list::<k8s::discovery_v1::EndpointSlice>().await;
    probe.patch::<k8s::discovery_v1::EndpointSlice>().await;
    probe.update::<k8s::discovery_v1::EndpointSlice>().await;
    probe.watch::<k8s::discovery_v1::EndpointSlice>().await;
}

async fn events_v1(probe: &mut Probe) {
    probe.create::<k8s::events_v1::Event>().await;
    probe.delete::<k8s::events_v1::Event>().await;
    probe.delete_collection::<k8s::events_v1::Event>().await;
    probe.get::<k8s::events_v1::Event>().await;
    probe.list::<k8s::events_v1::Event>().await;
    probe.patch::<k8s::events_v1::Event>().await;
    probe.update::<k8s::events_v1::Event>().await;
    probe.watch::<k8s::events_v1::Event>().await;
}

async fn flowcontrol_v1(probe: &mut Probe) {
    probe.create::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.delete::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.delete_collection::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.get::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.list::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.patch::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.update::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.watch::<k8s::flowcontrol_v1::FlowSchema>().await;
    probe.get_part::<k8s::flowcontrol_v1::FlowSchema, sub::Status>().await;
    probe.patch_part::<k8s::flowcontrol_v1::FlowSchema, sub::Status>().await;
    probe.update_part::<k8s::flowcontrol_v1::FlowSchema, sub::Status>().await;
    probe.create::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.delete::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.delete_collection::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.get::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.list::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.patch::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.update::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.watch::<k8s::flowcontrol_v1::PriorityLevelConfiguration>().await;
    probe.get_part::<k8s::flowcontrol_v1::PriorityLevelConfiguration, sub::Status>().await;
    probe.patch_part::<k8s::flowcontrol_v1::PriorityLevelConfiguration, sub::Status>().await;
    probe.update_part::<k8s::flowcontrol_v1::PriorityLevelConfiguration, sub::Status>().await;
}

async fn internal_v1alpha1(probe: &mut Probe) {
    probe.create::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.delete::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.delete_collection::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.get::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.list::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.patch::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.update::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.watch::<k8s::internal_v1alpha1::StorageVersion>().await;
    probe.get_part::<k8s::internal_v1alpha1::StorageVersion, sub::Status>().await;
    probe.patch_part::<k8s::internal_v1alpha1::StorageVersion, sub::Status>().await;
    probe.update_part::<k8s::internal_v1alpha1::StorageVersion, sub::Status>().await;
}

async fn networking_v1(probe: &mut Probe) {
    probe.create::<k8s::networking_v1::Ingress>().await;
    probe.delete::<k8s::networking_v1::Ingress>().await;
    probe.delete_collection::<k8s::networking_v1::Ingress>().await;
    probe.get::<k8s::networking_v1::Ingress>().await;
    probe.list::<k8s::networking_v1::Ingress>().await;
    probe.patch::<k8s::networking_v1::Ingress>().await;
    probe.update::<k8s::networking_v1::Ingress>().await;
    probe.watch::<k8s::networking_v1::Ingress>().await;
    probe.get_part::<k8s::networking_v1::Ingress, sub::Status>().await;
    probe.patch_part::<k8s::networking_v1::Ingress, sub::Status>().await;
    probe.update_part::<k8s::networking_v1::Ingress, sub::Status>().await;
    probe.create::<k8s::networking_v1::IngressClass>().await;
    probe.delete::<k8s::networking_v1::IngressClass>().await;
    probe.delete_collection::<k8s::networking_v1::IngressClass>().await;
    probe.get::<k8s::networking_v1::IngressClass>().await;
    probe.list::<k8s::networking_v1::IngressClass>().await;
    probe.patch::<k8s::networking_v1::IngressClass>().await;
    probe.update::<k8s::networking_v1::IngressClass>().await;
    probe.watch::<k8s::networking_v1::IngressClass>().await;
    probe.create::<k8s::networking_v1::IPAddress>().await;
    probe.delete::<k8s::networking_v1::IPAddress>().await;
    probe.delete_collection::<k8s::networking_v1::IPAddress>().await;
    probe.get::<k8s::networking_v1::IPAddress>().await;
    probe.list::<k8s::networking_v1::IPAddress>().await;
    probe.patch::<k8s::networking_v1::IPAddress>().await;
    probe.update::<k8s::networking_v1::IPAddress>().await;
    probe.watch::<k8s::networking_v1::IPAddress>().await;
    probe.create::<k8s::networking_v1::NetworkPolicy>().await;
    probe.delete::<k8s::networking_v1::NetworkPolicy>().await;
    probe.delete_collection::<k8s::networking_v1::NetworkPolicy>().await;
    probe.get::<k8s::networking_v1::NetworkPolicy>().await;
    probe.list::<k8s::networking_v1::NetworkPolicy>().await;
    probe.patch::<k8s::networking_v1::NetworkPolicy>().await;
    probe.update::<k8s::networking_v1::NetworkPolicy>().await;
    probe.watch::<k8s::networking_v1::NetworkPolicy>().await;
    probe.create::<k8s::networking_v1::ServiceCIDR>().await;
    probe.delete::<k8s::networking_v1::ServiceCIDR>().await;
    probe.delete_collection::<k8s::networking_v1::ServiceCIDR>().await;
    probe.get::<k8s::networking_v1::ServiceCIDR>().await;
    probe.list::<k8s::networking_v1::ServiceCIDR>().await;
    probe.patch::<k8s::networking_v1::ServiceCIDR>().await;
    probe.update::<k8s::networking_v1::ServiceCIDR>().await;
    probe.watch::<k8s::networking_v1::ServiceCIDR>().await;
    probe.get_part::<k8s::networking_v1::ServiceCIDR, sub::Status>().await;
    probe.patch_part::<k8s::networking_v1::ServiceCIDR, sub::Status>().await;
    probe.update_part::<k8s::networking_v1::ServiceCIDR, sub::Status>().await;
}

async fn node_v1(probe: &mut Probe) {
    probe.create::<k8s::node_v1::RuntimeClass>().await;
    probe.delete::<k8s::node_v1::RuntimeClass>().await;
    probe.delete_collection::<k8s::node_v1::RuntimeClass>().await;
    probe.get::<k8s::node_v1::RuntimeClass>().await;
    probe.list::<k8s::node_v1::RuntimeClass>().await;
    probe.patch::<k8s::node_v1::RuntimeClass>().await;
    probe.update::<k8s::node_v1::RuntimeClass>().await;
    probe.watch::<k8s::node_v1::RuntimeClass>().await;
}

async fn policy_v1(probe: &mut Probe) {
    probe.create::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.delete::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.delete_collection::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.get::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.list::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.patch::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.update::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.watch::<k8s::policy_v1::PodDisruptionBudget>().await;
    probe.get_part::<k8s::policy_v1::PodDisruptionBudget, sub::Status>().await;
    probe.patch_part::<k8s::policy_v1::PodDisruptionBudget, sub::Status>().await;
    probe.update_part::<k8s::policy_v1::PodDisruptionBudget, sub::Status>().await;
}

async fn rbac_v1(probe: &mut Probe) {
    probe.create::<k8s::rbac_v1::ClusterRole>().await;
    probe.delete::<k8s::rbac_v1::ClusterRole>().await;
    probe.delete_collection::<k8s::rbac_v1::ClusterRole>().await;
    probe.get::<k8s::rbac_v1::ClusterRole>().await;
    probe.list::<k8s::rbac_v1::ClusterRole>().await;
    probe.patch::<k8s::rbac_v1::ClusterRole>().await;
    probe.update::<k8s::rbac_v1::ClusterRole>().await;
    probe.watch::<k8s::rbac_v1::ClusterRole>().await;
    probe.create::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.delete::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.delete_collection::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.get::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.list::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.patch::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.update::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.watch::<k8s::rbac_v1::ClusterRoleBinding>().await;
    probe.create::<k8s::rbac_v1::Role>().await;
    probe.delete::<k8s::rbac_v1::Role>().await;
    probe.delete_collection::<k8s::rbac_v1::Role>().await;
    probe.get::<k8s::rbac_v1::Role>().await;
    probe.list::<k8s::rbac_v1::Role>().await;
    probe.patch::<k8s::rbac_v1::Role>().await;
    probe.update::<k8s::rbac_v1::Role>().await;
    probe.watch::<k8s::rbac_v1::Role>().await;
    probe.create::<k8s::rbac_v1::RoleBinding>().await;
    probe.delete::<k8s::rbac_v1::RoleBinding>().await;
    probe.delete_collection::<k8s::rbac_v1::RoleBinding>().await;
    probe.get::<k8s::rbac_v1::RoleBinding>().await;
    probe.list::<k8s::rbac_v1::RoleBinding>().await;
    probe.patch::<k8s::rbac_v1::RoleBinding>().await;
    probe.update::<k8s::rbac_v1::RoleBinding>().await;
    probe.watch::<k8s::rbac_v1::RoleBinding>().await;
}

async fn resource_v1(probe: &mut Probe) {
    probe.create::<k8s::resource_v1::DeviceClass>().await;
    probe.delete::<k8s::resource_v1::DeviceClass>().await;
    probe.delete_collection::<k8s::resource_v1::DeviceClass>().await;
    probe.get::<k8s::resource_v1::DeviceClass>().await;
    probe.list::<k8s::resource_v1::DeviceClass>().await;
    probe.patch::<k8s::resource_v1::DeviceClass>().await;
    probe.update::<k8s::resource_v1::DeviceClass>().await;
    probe.watch::<k8s::resource_v1::DeviceClass>().await;
    probe.create::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.delete::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.delete_collection::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.get::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.list::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.patch::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.update::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.watch::<k8s::resource_v1::DeviceTaintRule>().await;
    probe.get_part::<k8s::resource_v1::DeviceTaintRule, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1::DeviceTaintRule, sub::Status>().await;
    probe.update_part::<k8s::resource_v1::DeviceTaintRule, sub::Status>().await;
    probe.create::<k8s::resource_v1::ResourceClaim>().await;
    probe.delete::<k8s::resource_v1::ResourceClaim>().await;
    probe.delete_collection::<k8s::resource_v1::ResourceClaim>().await;
    probe.get::<k8s::resource_v1::ResourceClaim>().await;
    probe.list::<k8s::resource_v1::ResourceClaim>().await;
    probe.patch::<k8s::resource_v1::ResourceClaim>().await;
    probe.update::<k8s::resource_v1::ResourceClaim>().await;
    probe.watch::<k8s::resource_v1::ResourceClaim>().await;
    probe.get_part::<k8s::resource_v1::ResourceClaim, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1::ResourceClaim, sub::Status>().await;
    probe.update_part::<k8s::resource_v1::ResourceClaim, sub::Status>().await;
    probe.create::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.delete::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.delete_collection::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.get::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.list::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.patch::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.update::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.watch::<k8s::resource_v1::ResourceClaimTemplate>().await;
    probe.create::<k8s::resource_v1::ResourceSlice>().await;
    probe.delete::<k8s::resource_v1::ResourceSlice>().await;
    probe.delete_collection::<k8s::resource_v1::ResourceSlice>().await;
    probe.get::<k8s::resource_v1::ResourceSlice>().await;
    probe.list::<k8s::resource_v1::ResourceSlice>().await;
    probe.patch::<k8s::resource_v1::ResourceSlice>().await;
    probe.update::<k8s::resource_v1::ResourceSlice>().await;
    probe.watch::<k8s::resource_v1::ResourceSlice>().await;
}

async fn resource_v1alpha3(probe: &mut Probe) {
    probe.create::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.delete::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.delete_collection::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.get::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.list::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.patch::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.update::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.watch::<k8s::resource_v1alpha3::DeviceTaintRule>().await;
    probe.get_part::<k8s::resource_v1alpha3::DeviceTaintRule, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1alpha3::DeviceTaintRule, sub::Status>().await;
    probe.update_part::<k8s::resource_v1alpha3::DeviceTaintRule, sub::Status>().await;
    probe.create::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.delete::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.delete_collection::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.get::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.list::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.patch::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.update::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.watch::<k8s::resource_v1alpha3::ResourcePoolStatusRequest>().await;
    probe.get_part::<k8s::resource_v1alpha3::ResourcePoolStatusRequest, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1alpha3::ResourcePoolStatusRequest, sub::Status>().await;
    probe.update_part::<k8s::resource_v1alpha3::ResourcePoolStatusRequest, sub::Status>().await;
}

async fn resource_v1beta1(probe: &mut Probe) {
    probe.create::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.delete::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.delete_collection::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.get::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.list::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.patch::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.update::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.watch::<k8s::resource_v1beta1::DeviceClass>().await;
    probe.create::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.delete::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.delete_collection::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.get::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.list::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.patch::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.update::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.watch::<k8s::resource_v1beta1::ResourceClaim>().await;
    probe.get_part::<k8s::resource_v1beta1::ResourceClaim, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1beta1::ResourceClaim, sub::Status>().await;
    probe.update_part::<k8s::resource_v1beta1::ResourceClaim, sub::Status>().await;
    probe.create::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.delete::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.delete_collection::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.get::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.list::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.patch::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.update::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.watch::<k8s::resource_v1beta1::ResourceClaimTemplate>().await;
    probe.create::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.delete::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.delete_collection::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.get::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.list::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.patch::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.update::<k8s::resource_v1beta1::ResourceSlice>().await;
    probe.watch::<k8s::resource_v1beta1::ResourceSlice>().await;
}

async fn resource_v1beta2(probe: &mut Probe) {
    probe.create::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.delete::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.delete_collection::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.get::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.list::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.patch::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.update::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.watch::<k8s::resource_v1beta2::DeviceClass>().await;
    probe.create::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.delete::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.delete_collection::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.get::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.list::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.patch::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.update::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.watch::<k8s::resource_v1beta2::DeviceTaintRule>().await;
    probe.get_part::<k8s::resource_v1beta2::DeviceTaintRule, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1beta2::DeviceTaintRule, sub::Status>().await;
    probe.update_part::<k8s::resource_v1beta2::DeviceTaintRule, sub::Status>().await;
    probe.create::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.delete::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.delete_collection::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.get::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.list::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.patch::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.update::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.watch::<k8s::resource_v1beta2::ResourceClaim>().await;
    probe.get_part::<k8s::resource_v1beta2::ResourceClaim, sub::Status>().await;
    probe.patch_part::<k8s::resource_v1beta2::ResourceClaim, sub::Status>().await;
    probe.update_part::<k8s::resource_v1beta2::ResourceClaim, sub::Status>().await;
    probe.create::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.delete::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.delete_collection::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.get::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.list::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.patch::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.update::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.watch::<k8s::resource_v1beta2::ResourceClaimTemplate>().await;
    probe.create::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.delete::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.delete_collection::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.get::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.list::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.patch::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.update::<k8s::resource_v1beta2::ResourceSlice>().await;
    probe.watch::<k8s::resource_v1beta2::ResourceSlice>().await;
}

async fn scheduling_v1(probe: &mut Probe) {
    probe.create::<k8s::scheduling_v1::PriorityClass>().await;
    probe.delete::<k8s::scheduling_v1::PriorityClass>().await;
    probe.delete_collection::<k8s::scheduling_v1::PriorityClass>().await;
    probe.get::<k8s::scheduling_v1::PriorityClass>().await;
    probe.list::<k8s::scheduling_v1::PriorityClass>().await;
    probe.patch::<k8s::scheduling_v1::PriorityClass>().await;
    probe.update::<k8s::scheduling_v1::PriorityClass>().await;
    probe.watch::<k8s::scheduling_v1::PriorityClass>().await;
}

async fn storage_v1(probe: &mut Probe) {
    probe.create::<k8s::storage_v1::CSIDriver>().await;
    probe.delete::<k8s::storage_v1::CSIDriver>().await;
    probe.delete_collection::<k8s::storage_v1::CSIDriver>().await;
    probe.get::<k8s::storage_v1::CSIDriver>().await;
    probe.list::<k8s::storage_v1::CSIDriver>().await;
    probe.patch::<k8s::storage_v1::CSIDriver>().await;
    probe.update::<k8s::storage_v1::CSIDriver>().await;
    probe.watch::<k8s::storage_v1::CSIDriver>().await;
    probe.create::<k8s::storage_v1::CSINode>().await;
    probe.delete::<k8s::storage_v1::CSINode>().await;
    probe.delete_collection::<k8s::storage_v1::CSINode>().await;
    probe.get::<k8s::storage_v1::CSINode>().await;
    probe.list::<k8s::storage_v1::CSINode>().await;
    probe.patch::<k8s::storage_v1::CSINode>().await;
    probe.update::<k8s::storage_v1::CSINode>().await;
    probe.watch::<k8s::storage_v1::CSINode>().await;
    probe.get_part::<k8s::storage_v1::CSINode, sub::Status>().await;
    probe.patch_part::<k8s::storage_v1::CSINode, sub::Status>().await;
    probe.update_part::<k8s::storage_v1::CSINode, sub::Status>().await;
    probe.create::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.delete::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.delete_collection::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.get::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.list::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.patch::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.update::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.watch::<k8s::storage_v1::CSIStorageCapacity>().await;
    probe.create::<k8s::storage_v1::StorageClass>().await;
    probe.delete::<k8s::storage_v1::StorageClass>().await;
    probe.delete_collection::<k8s::storage_v1::StorageClass>().await;
    probe.get::<k8s::storage_v1::StorageClass>().await;
    probe.list::<k8s::storage_v1::StorageClass>().await;
    probe.patch::<k8s::storage_v1::StorageClass>().await;
    probe.update::<k8s::storage_v1::StorageClass>().await;
    probe.watch::<k8s::storage_v1::StorageClass>().await;
    probe.create::<k8s::storage_v1::VolumeAttachment>().await;
    probe.delete::<k8s::storage_v1::VolumeAttachment>().await;
    probe.delete_collection::<k8s::storage_v1::VolumeAttachment>().await;
    probe.get::<k8s::storage_v1::VolumeAttachment>().await;
    probe.list::<k8s::storage_v1::VolumeAttachment>().await;
    probe.patch::<k8s::storage_v1::VolumeAttachment>().await;
    probe.update::<k8s::storage_v1::VolumeAttachment>().await;
    probe.watch::<k8s::storage_v1::VolumeAttachment>().await;
    probe.get_part::<k8s::storage_v1::VolumeAttachment, sub::Status>().await;
    probe.patch_part::<k8s::storage_v1::VolumeAttachment, sub::Status>().await;
    probe.update_part::<k8s::storage_v1::VolumeAttachment, sub::Status>().await;
    probe.create::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.delete::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.delete_collection::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.get::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.list::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.patch::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.update::<k8s::storage_v1::VolumeAttributesClass>().await;
    probe.watch::<k8s::storage_v1::VolumeAttributesClass>().await;
}

async fn storagemigration_v1(probe: &mut Probe) {
    probe.create::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.delete::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.delete_collection::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.get::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.list::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.patch::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.update::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.watch::<k8s::storagemigration_v1::StorageVersionMigration>().await;
    probe.get_part::<k8s::storagemigration_v1::StorageVersionMigration, sub::Status>().await;
    probe.patch_part::<k8s::storagemigration_v1::StorageVersionMigration, sub::Status>().await;
    probe.update_part::<k8s::storagemigration_v1::StorageVersionMigration, sub::Status>().await;
}

async fn storagemigration_v1beta1(probe: &mut Probe) {
    probe.create::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.delete::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.delete_collection::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.get::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.list::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.patch::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.update::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.watch::<k8s::storagemigration_v1beta1::StorageVersionMigration>().await;
    probe.get_part::<k8s::storagemigration_v1beta1::StorageVersionMigration, sub::Status>().await;
    probe.patch_part::<k8s::storagemigration_v1beta1::StorageVersionMigration, sub::Status>().await;
    probe.update_part::<k8s::storagemigration_v1beta1::StorageVersionMigration, sub::Status>().await;
}

pub(super) async fn call_all(probe: &mut Probe) {
    admissionregistration_v1(probe).await;
    admissionregistration_v1alpha1(probe).await;
    admissionregistration_v1beta1(probe).await;
    apiextensions_v1(probe).await;
    apiregistration_v1(probe).await;
    apps_v1(probe).await;
    authentication_v1(probe).await;
    authorization_v1(probe).await;
    autoscaling_v1(probe).await;
    autoscaling_v2(probe).await;
    batch_v1(probe).await;
    certificates_v1(probe).await;
    certificates_v1beta1(probe).await;
    coordination_v1(probe).await;
    coordination_v1alpha2(probe).await;
    coordination_v1beta1(probe).await;
    core_v1(probe).await;
    discovery_v1(probe).await;
    events_v1(probe).await;
    flowcontrol_v1(probe).await;
    internal_v1alpha1(probe).await;
    networking_v1(probe).await;
    node_v1(probe).await;
    policy_v1(probe).await;
    rbac_v1(probe).await;
    resource_v1(probe).await;
    resource_v1alpha3(probe).await;
    resource_v1beta1(probe).await;
    resource_v1beta2(probe).await;
    scheduling_v1(probe).await;
    storage_v1(probe).await;
    storagemigration_v1(probe).await;
    storagemigration_v1beta1(probe).await;
}
